"""Secrets and signatures of webhooks."""

from __future__ import annotations

import base64

import pytest

from service.games.webhooks import model as webhook_model
from service.games.webhooks.model import Webhook
from service.games.webhooks.signing import new_secret, secret_bytes, signature_header

KNOWN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_published_vector() -> None:
    """The example that the libraries of Standard Webhooks are tested with."""
    signed = signature_header(
        [KNOWN], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, '{"test": 2432232314}'
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_fresh_secrets_differ_and_fit() -> None:
    assert new_secret() != new_secret()
    assert len(secret_bytes(new_secret())) == 32


@pytest.mark.parametrize("size", [24, 64])
def test_secrets_of_the_right_size(size: int) -> None:
    key = bytes(range(size))
    assert secret_bytes("whsec_" + base64.b64encode(key).decode()) == key


@pytest.mark.parametrize(
    "text",
    ["", "whsec_", KNOWN[6:], "whsec_" + "A" * 28, "whsec_" + "A" * 92, "whsec_" + "*" * 32,
     "whsec_" + "A" * 33, "whsk_" + "A" * 32, "whsec_ä" + "A" * 32],
)  # fmt: skip
def test_what_is_no_secret(text: str) -> None:
    with pytest.raises(ValueError, match="whsec_"):
        secret_bytes(text)


def _webhook(*secrets: tuple[str, int | None]) -> Webhook:
    return Webhook("owner", "https://a.example/?key=hidden", ("game.events",), secrets, 0, 1)


def test_rotation_lets_old_secrets_sign_for_a_while() -> None:
    first = _webhook(("a", None))
    second = webhook_model.with_new_secret(first, "b", 1_000, 500)
    assert second.secrets == (("b", None), ("a", 1_500))
    assert webhook_model.active_secrets(second, 1_499) == ["b", "a"]
    assert webhook_model.active_secrets(second, 1_500) == ["b"]
    assert webhook_model.with_new_secret(second, "b", 1_200, 9) == second, (
        "the present one again: nothing changes"
    )
    third = webhook_model.with_new_secret(second, "c", 1_200, 900)
    assert third.secrets == (("c", None), ("b", 2_100), ("a", 1_500))
    assert webhook_model.with_new_secret(third, "d", 1_300, 0).secrets == (
        ("d", None),
        ("c", 1_300),
        ("b", 1_300),
    )
    assert webhook_model.with_new_secret(third, "b", 3_000, 10).secrets == (
        ("b", None),
        ("c", 3_010),
    )


def test_a_webhook_shows_no_secret() -> None:
    shown = repr(
        webhook_model.decode_webhook(webhook_model.encode_webhook("h", _webhook((KNOWN, None))))
    )
    assert KNOWN not in shown
    assert "hidden" not in shown
