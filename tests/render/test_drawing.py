"""What all pictures are made of."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from service import render
from service.render import drawing, map_layout
from service.render.look import Look

from .pictures import checked, those, words


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1.0, "1"), (-0.04, "0"), (0.25, "0.2"), (-1.26, "-1.3"), (1e3, "1000")],
)
def test_numbers_have_one_decimal_at_most(value: float, shown: str) -> None:
    assert drawing.number(value) == shown


def test_what_is_written_is_escaped() -> None:
    text = "<b> & \"q\" 'a' \x00\x1f\ud800\ufffe é漢\U0001f600"
    element = ET.fromstring(drawing.text(1, 2, text, 12, data_name=text))
    said = "<b> & \"q\" 'a' \ufffd\ufffd\ufffd\ufffd é漢\U0001f600"
    assert element.text == said
    assert element.attrib["data-name"] == said


def test_attributes_that_are_none_are_left_out() -> None:
    assert drawing.el("g", cls=None, data_x=0) == '<g data-x="0"/>'
    assert drawing.at(1, 2) == "translate(1 2)"
    assert drawing.at(1, 2, 0.5) == "translate(1 2) scale(0.5000)"


def test_names_are_cut_and_missing_ones_are_numbers() -> None:
    look = Look(["Ana", None, "", "x" * 80, "W" * 13, "漢" * 14])
    assert [look.named(seat) for seat in range(7)] == [
        "Ana",
        "Seat 1",
        "Seat 2",
        "x" * 20 + "…",
        "W" * 13,
        "漢" * 12 + "…",
        "Seat 6",
    ]
    assert look.named(7, "Guild {seat}") == "Guild 7"
    assert look.listed([1, "a"]) == "1, a"
    assert look.listed([], "nobody") == "nobody"


def test_texts_are_made_to_fit() -> None:
    def size(written: str) -> tuple[float, str]:
        element = ET.fromstring(drawing.fitted(0, 0, written, 12, 60))
        return float(element.attrib["font-size"]), element.text or ""

    assert size("") == (12, "")
    assert size("abcdeghk") == (12, "abcdeghk")
    assert size("abcdeghkno") == (10, "abcdeghkno")
    bold = ET.fromstring(drawing.fitted(0, 0, "abcdeghk", 12, 55, "bold"))
    assert bold.attrib["font-size"] == drawing.number(55 / 1.1 / 4.8)
    assert size("much too long") == (drawing.SMALLEST, "much too…")


def test_what_is_said_is_translated_before_it_is_filled() -> None:
    look = Look(language="fr", translated={"{n} men": "{n} hommes", "none": "rien"}.__getitem__)
    assert look.say("{n} men", n="{n}") == "{n} hommes"
    assert look.listed([]) == "rien"
    assert look.called({"en": "Ship", "fr": "Bateau"}) == "Bateau"
    assert look.called({"en": "Ship"}) == "Ship"


def test_the_last_move_is_known_by_its_type_and_seat() -> None:
    look = Look(last={"seat": 1, "command": {"type": "build", "city": "metz"}})
    assert look.did("build")["city"] == look.did()["city"] == "metz"
    assert look.did("buy") == Look().did() == {}
    assert [look.moved(seat) for seat in range(2)] == [False, True]
    assert not Look().moved(0)


def test_the_seats_of_a_table_before_the_game() -> None:
    root = checked(render.svg("pebbles", None, Look(["Ana <3", None])))
    assert words(root)[-4:] == ["0", "Ana <3", "1", "open"]
    assert len(those(root, "panel")) == 2


def test_a_ruleset_without_a_picture_is_shown_as_text() -> None:
    root = checked(render.svg("pebbles", {"holes": [1, 2]}))
    assert words(root) == ["{", ' "holes": [', "  1,", "  2", " ]", "}"]


def test_a_curve_goes_through_its_ends_and_swerves() -> None:
    path, along = map_layout.curve((0, 0), (100, 0), 0.1, -0.1)
    assert path == "M0 0C33.3 -10,66.7 10,100 0"
    assert along(0) == (0, 0)
    assert along(1) == (100, 0)
    assert along(0.5) == pytest.approx((50, 0))
    assert along(0.2)[1] < 0 < along(0.8)[1]
    assert map_layout.curve((0, 0), (100, 0), 0, 0)[0] == "M0 0L100 0"


def test_a_name_stands_where_it_covers_least_and_on_the_sheet() -> None:
    (x, y, lies), box = map_layout.beside("Somewhere", (200, 100), [])
    assert (x, y, lies) == (200, 118, "mid")
    (x, _, lies), _ = map_layout.beside("Somewhere", (200, 100), [box])
    assert lies == ""
    for edge in (2, drawing.WIDTH - 2):
        _, box = map_layout.beside("Somewhere", (edge, 100), [])
        assert box[0] >= 0
        assert box[2] <= drawing.WIDTH
