"""Webhook signing by Standard Webhooks: secrets, and the signature header (HMAC-SHA-256)."""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = range(24, 65)


def new_secret() -> str:
    """Returns a fresh secret of 256 random bits."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def secret_bytes(text: str) -> bytes:
    """Returns the key that a secret encodes. Raises ValueError where it is not a secret."""
    try:
        if not text.startswith(PREFIX):
            raise ValueError
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
        if len(key) not in SECRET_BYTES:
            raise ValueError
    except (ValueError, binascii.Error):
        raise ValueError("must be whsec_ and 24 to 64 bytes in base64") from None
    return key


def signature_header(
    secrets_in_use: Iterable[str], message_id: str, timestamp: int, body: str
) -> str:
    """Returns the `webhook-signature` header: one signature by each secret, in order.

    `timestamp` is in seconds since 1970, as in the `webhook-timestamp` header.
    """
    signed = f"{message_id}.{timestamp}.{body}".encode()
    macs = [hmac.digest(secret_bytes(secret), signed, "sha256") for secret in secrets_in_use]
    return " ".join("v1," + base64.b64encode(mac).decode() for mac in macs)
