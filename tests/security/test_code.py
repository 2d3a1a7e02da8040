"""What the code itself must not do: compare secrets by `==`, unpickle, run text, call others."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.app import create_app
from service.config import Settings
from service.store import MemoryStore

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path for folder in ("service", "schemas", "workers") for path in (ROOT / folder).rglob("*.py")
)

SECRET = {
    "caller", "claim", "claims", "client", "code_hash", "host_token", "mac", "owner", "secret",
    "sealed_chance", "seed", "signature", "token", "watch",
}  # fmt: skip
"""Names of tokens, codes, secrets and their hashes: `x`, `a.x`, `a.x[0]`."""

RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
UNPACKS = {"dill", "jsonpickle", "marshal", "pickle", "shelve"}
CALLS_OUT = {"httpx", "requests", "urllib.request", "urllib3", "ftplib", "smtplib"}
MAY_CALL_OUT = ("service/cli/", "workers/webhooks/http_client.py")


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def name_of(node: ast.expr) -> str:
    """The last name of an expression: of `a.b[0]` it is b."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def careless(source: str) -> Iterator[int]:
    """Yields the lines that compare what is secret in a time that tells how much is right."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for operator, one, other in zip(node.ops, sides, sides[1:], strict=False):
            literal = any(isinstance(side, ast.Constant) for side in (one, other))
            secret = {name_of(one), name_of(other)} & SECRET
            if isinstance(operator, ast.Eq | ast.NotEq) and secret and not literal:
                yield node.lineno


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("seat.token == caller", True),
        ("held.claim != hashed(code)", True),
        ("secret == webhook.secrets[0][0]", True),
        ("same(seat.token, caller)", False),
        ("seat.claim is None", False),
        ("kind == 'token'", False),
        ("scope.token == 'x'", False),
    ],
)
def test_a_careless_comparison_is_seen(line: str, found: bool) -> None:
    assert bool(list(careless(line))) == found


@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_no_source_does_what_it_must_not(path: Path) -> None:
    source = path.read_text()
    assert not list(careless(source)), "compare with hmac.compare_digest, or access.same"
    imported = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Call):
            called = node.func
            plain = called.id if isinstance(called, ast.Name) else ""
            assert plain not in RUNS_TEXT, f"line {node.lineno} runs text"
            if isinstance(called, ast.Attribute) and called.attr in ("load", "load_all"):
                whose = name_of(called.value)
                assert whose != "yaml", f"line {node.lineno} may make objects of any kind"
            for each in node.keywords:
                on = isinstance(each.value, ast.Constant) and each.value.value is True
                off = isinstance(each.value, ast.Constant) and each.value.value is False
                assert not (each.arg == "shell" and on), f"line {node.lineno} asks a shell"
                assert not (each.arg == "verify" and off), f"line {node.lineno} trusts anybody"
    assert not imported & UNPACKS
    if not short(path).startswith(MAY_CALL_OUT):
        assert not imported & CALLS_OUT, "only workers/webhooks/http_client.py calls others"


def test_nothing_is_shown_of_a_fault() -> None:
    """No debugger, no traceback in answers, whatever the environment says."""

    class Broken(MemoryStore):
        def read(self, *_: object, **__: object) -> object:  # type: ignore[override]
            raise RuntimeError("a secret of the house")

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLASK_DEBUG", "1")
        patch.setenv("FLASK_ENV", "development")
        app = create_app(Settings(), Broken())
        answer = app.test_client().get("/v1/games/" + "a" * 26)
    assert not app.debug
    assert answer.status_code == 500
    assert b"secret of the house" not in answer.data
    assert b"Traceback" not in answer.data
