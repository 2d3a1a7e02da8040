"""The audit of dependencies says what is known, and never that all is well when it was not told."""

from __future__ import annotations

import importlib.util
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / ".ci" / "audit"


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    loader = SourceFileLoader("audit", str(PATH))
    spec = importlib.util.spec_from_loader("audit", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def report(**packages: Any) -> Any:
    """A report in pip-audit's form: ids of weaknesses by package, None for what it left out."""
    return {
        "dependencies": [
            {"name": name, "skip_reason": "not found"}
            if known is None
            else {
                "name": name,
                "version": "1",
                "vulns": [{"id": each, "fix_versions": ["2"]} for each in known],
            }
            for name, known in packages.items()
        ],
        "fixes": [],
    }


WEAK = report(weak=["CVE-1"])


def test_what_is_known_is_told(audit: ModuleType) -> None:
    assert audit.judged(report(a=[], b=["CVE-2"]), WEAK) == ["b 1: CVE-2, mended in 2"]
    assert audit.judged(report(a=[], b=[]), WEAK) == []


def test_an_index_without_knowledge_is_not_believed(audit: ModuleType) -> None:
    """One that calls everything sound, or knows no package at all."""
    for probe in (report(weak=[]), report(weak=None)):
        with pytest.raises(audit.Unknown, match="knows nothing of weaknesses"):
            audit.judged(report(a=[]), probe)


def test_what_was_left_out_is_no_all_clear(audit: ModuleType) -> None:
    with pytest.raises(audit.Unknown, match="not looked up: b"):
        audit.judged(report(a=[], b=None), WEAK)
    assert audit.judged(report(a=["CVE-3"], b=None), WEAK), "what is known comes first"


def test_where_it_cannot_look_it_says_so(
    audit: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise OSError("no room left")

    monkeypatch.setattr(audit.venv, "create", away)
    assert audit.main([]) == 0
    assert audit.main(["--strict"]) == 2
    assert capsys.readouterr().err.count("audit skipped: no room left") == 2
