"""The catalogs have every text that people may read, and say the same as the English."""

from __future__ import annotations

import importlib.util
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from babel.messages.pofile import read_po

from service.api.http import catalogs, descriptions, languages

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = catalogs.available_languages()
ALIKE = re.compile(r"bl_…|\{place\}: \{fault\}|Bot \{seat\}|actions|expansion|production")
"""What may be the same in two languages."""


def _builder() -> ModuleType:
    path = ROOT / "docs" / "build_translations.py"
    spec = importlib.util.spec_from_file_location("build_translations", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BUILDER = _builder()


def _messages(language: str) -> Iterator[tuple[str, str]]:
    """Every text and its translation, in all catalogs."""
    for folder in catalogs.FOLDERS:
        with (folder / language / catalogs.FILE).open("rb") as file:
            for message in read_po(file, locale=language):
                if message.id:
                    yield str(message.id), str(message.string)


def _names(text: str) -> Counter[str]:
    return Counter(name for _, name, _, _ in string.Formatter().parse(text) if name)


def _parts(text: str) -> list[list[str]]:
    """What each part in square brackets names."""
    return sorted(sorted(_names(part)) for part in descriptions.OPTIONAL_PART.findall(text))


def _code(text: str) -> Counter[str]:
    return Counter(re.findall(r"`[^`]+`", text))


def _numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+", text.replace("10,000", "10000")))


def _emphasis(text: str) -> int:
    return len(re.findall(r"\*[^*]+\*", text))


def test_the_languages_are_found() -> None:
    assert LANGUAGES == ("fr", "pt")
    assert languages.LANGUAGES == ("en", "fr", "pt")


def test_the_catalogs_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert BUILDER.main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    untold = [text for text, translation in _messages(language) if not translation.strip()]
    assert not untold


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_english_is_left(language: str) -> None:
    same = [text for text, told in _messages(language) if text == told]
    assert not [text for text in same if ALIKE.fullmatch(text) is None]


@pytest.mark.parametrize("kept", [_names, _parts, _code, _numbers, _emphasis])
@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep(language: str, kept: Callable[[str], object]) -> None:
    """Placeholders, parts in brackets, code, numbers (and with them rules) and emphasis."""
    for text, told in _messages(language):
        assert kept(told) == kept(text), text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_is_told_in_one_way(language: str) -> None:
    """Catalogs become one, so two of them may not differ about a text."""
    known: dict[str, str] = {}
    for text, told in _messages(language):
        assert known.setdefault(text, told) == told


def test_texts_are_found_where_they_stand() -> None:
    source = """
raise RuleViolation("code", "X-1", "No {thing}.", thing=1)
raise self.refusal("code", "Never.")
BAR = ("no_bar", "X-2.1", "A bar.")
raise Misshapen(pointer, fault.detail)
raise ValidationError({name: ["is missing"]})
raise ValueError("must be something")
raise ValueError("not for people")
NAMES = ("a", "b", "c")
look.say("Market")
STEP = phrase("places a tile")
"""
    assert sorted(BUILDER.literals(source, "here")) == [
        "A bar.",
        "Market",
        "Never.",
        "No {thing}.",
        "is missing",
        "must be something",
        "places a tile",
    ]


@pytest.mark.parametrize("text", ['f"at least {least}"', '"at least " + str(least)'])
def test_no_text_is_put_together(text: str) -> None:
    with pytest.raises(ValueError, match="here:1"):
        list(BUILDER.literals(f'raise Misshapen("/options", {text})', "here"))


def test_catalogs_are_rewritten_with_what_they_know() -> None:
    written = BUILDER.build_catalog({"One.": ["rule X-1"], "Two.": []}, "pt", b"")
    assert b'#. rule X-1\nmsgid "One."\nmsgstr ""\n' in written
    told = written.replace(b'"One."\nmsgstr ""', b'"One."\nmsgstr "Um."')
    again = BUILDER.build_catalog({"Three.": [], "One.": []}, "pt", told)
    assert b'msgid "One."\nmsgstr "Um."\n' in again
    assert b'msgid "Three."\nmsgstr ""\n' in again
    assert b"Two." not in again
    assert BUILDER.build_catalog({"Three.": [], "One.": []}, "pt", again) == again
