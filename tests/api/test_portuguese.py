"""The Portuguese texts are Brazilian, in the catalogs and in the page's dictionaries."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from babel.messages.pofile import read_po

from service.api.http import catalogs
from service.api.resources import web_app

EUROPEAN = re.compile(
    r"""
    \b(
        (está|estão|estava|estavam|continua|continuam)\ a\ (?!partir)\w+r(-se)?
        | utilizador(es)? | registos? | partilh\w+ | ecrãs? | ficheiros? | factos? | equipas?
        | \w*acç\w+ | \w*[aeo]cç[ãõ]\w+ | actual\w* | activ\w+ | objectiv\w+ | efectu\w+ | óptim\w+
        | bónus | género | prémios? | contactos? | controlos? | económic\w+ | telemóve(l|is)
        | demasiad[oa]s? | desforras? | palavras?-passe | descarreg\w+
        | por\ omissão | em\ lado\ nenhum | até\ ao | na\ mesma(?=[.;,]) | correu\ mal
        | ponteiros\ do\ relógio | connosco | convosco | voss[oa]s? | tua | teu
    )\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Words and phrases that are written so in Portugal only."""


def _portuguese() -> Iterator[tuple[str, str]]:
    """Every Portuguese text, with the place where it is written."""
    for folder in catalogs.FOLDERS:
        path = folder / "pt" / catalogs.FILE
        with path.open("rb") as file:
            for message in read_po(file, locale="pt"):
                if message.id:
                    yield f"{path}: {message.id}", str(message.string)
    for path in sorted(web_app.FOLDER.glob("*.json")):
        yield from _in_dictionary(path.name, json.loads(path.read_text()))


def _in_dictionary(place: str, words: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if isinstance(words.get("pt"), str):
        yield place, words["pt"]
    else:
        for key, inner in words.items():
            yield from _in_dictionary(f"{place} {key}", inner)


def test_texts_are_found_everywhere() -> None:
    places = [place for place, _ in _portuguese()]
    assert len([place for place in places if ".po: " in place]) > 500
    assert {place.split()[0] for place in places if ".po: " not in place} == {
        path.name for path in web_app.FOLDER.glob("*.json")
    }


def test_no_european_form_is_left() -> None:
    found = [
        (place, match[0]) for place, text in _portuguese() for match in EUROPEAN.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "Um robô está a pensar…",
        "As feitorias continuam a contar",
        "O registo é público.",
        "Demasiadas partidas",
        "vale até ao fim da rodada",
        "Partilham a vitória",
        "sem utilizador nem fragmento",
        "A direcção da acção",
    ],
)
def test_european_forms_are_recognized(text: str) -> None:
    assert EUROPEAN.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "Um bot está pensando…",
        "O registro é público.",
        "Partidas demais",
        "Vai até a última rodada, à sua escolha",
        "A seção de ações atuais e ativas",
    ],
)
def test_brazilian_forms_are_not(text: str) -> None:
    assert not EUROPEAN.search(text)
