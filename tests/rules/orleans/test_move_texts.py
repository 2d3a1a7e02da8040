"""Every command has a text that people can read."""

from __future__ import annotations

import random
from typing import Any

import pytest

from service.api.http import (
    descriptions,
)
from service.app import create_app
from service.config import Settings
from service.rules import described
from service.rules.orleans import RULESET, move_texts
from service.store import MemoryStore
from tests.rules.samples import sample_command

from .table import NONE, Table

DELIVERIES = [
    {"space": 0, "deed": "boatmen_guild", "reward": "coin"},
    {"space": 1, "deed": "canalization", "reward": "development"},
]

TEXTS: list[tuple[dict[str, Any], str, str, str]] = [
    (
        {"type": "take_back", "place": "town_hall", "space": 1},
        "Take the follower on the second space of the Town Hall back to the market",
        "Devolver ao mercado o seguidor no segundo espaço do local Prefeitura",
        "Ramener au marché le partisan de la deuxième case du lieu Mairie",
    ),
    (
        {"type": "draw", "count": 4},
        "Draw 4 followers",
        "Retirar 4 seguidores",
        "Piocher 4 partisans",
    ),
    ({"type": "draw", "count": 1}, "Draw 1 follower", "Retirar 1 seguidor", "Piocher 1 partisan"),
    (
        {"type": "draw", "count": 0},
        "Draw no followers",
        "Retirar nenhum seguidor",
        "Piocher aucun partisan",
    ),
    (
        {
            "type": "place_follower",
            "follower": "boatman",
            "starting": True,
            "place": "village",
            "space": 1,
        },
        "Put a starting Boatman on the Boatman space of the Village",
        "Colocar um Barqueiro inicial no espaço de Barqueiro do local Vilarejo",
        "Placer un Batelier de départ sur la case Batelier du lieu Village",
    ),
    (
        {
            "type": "place_follower",
            "follower": "monk",
            "starting": False,
            "place": "cheese_factory",
            "space": 1,
        },
        "Put a Monk on the second Farmer space of the Cheese Factory",
        "Colocar um Monge no segundo espaço de Fazendeiro do local Queijaria",
        "Placer un Moine sur la deuxième case Fermier du lieu Fromagerie",
    ),
    (
        {
            "type": "place_follower",
            "follower": "knight",
            "starting": False,
            "place": "gunpowder_tower",
            "space": 0,
        },
        "Put a Knight on the first market space of the Gunpowder Tower",
        "Colocar um Cavaleiro no primeiro espaço de mercado do local Torre da Pólvora",
        "Placer un Chevalier sur la première case de marché du lieu Poudrière",
    ),
    (
        {
            "type": "place_follower",
            "follower": "knight",
            "starting": False,
            "place": "pharmacy",
            "space": 0,
        },
        "Put a Knight on the space of the Pharmacy",
        "Colocar um Cavaleiro no espaço do local Botica",
        "Placer un Chevalier sur la case du lieu Apothicairerie",
    ),
    (
        {"type": "withdraw_follower", "place": "office", "space": 0},
        "Take the follower on the first Scholar space of the Office up again",
        "Retomar o seguidor no primeiro espaço de Erudito do local Escritório",
        "Reprendre le partisan de la première case Érudit du lieu Bureau",
    ),
    (
        {"type": "place_technology", "place": "castle", "space": 0},
        "Put a technology tile on the Farmer space of the Castle",
        "Colocar uma ficha de tecnologia no espaço de Fazendeiro do local Castelo",
        "Placer une tuile Technologie sur la case Fermier du lieu Château",
    ),
    (
        {"type": "place_technology", "place": "brewery", "space": 2},
        "Put a technology tile on space 3 of the Brewery",
        "Colocar uma ficha de tecnologia no espaço 3 do local Cervejaria",
        "Placer une tuile Technologie sur la case 3 du lieu Brasserie",
    ),
    (
        {"type": "withdraw_follower", "place": "gunpowder_tower", "space": 1},
        "Take the follower on the second market space of the Gunpowder Tower up again",
        "Retomar o seguidor no segundo espaço de mercado do local Torre da Pólvora",
        "Reprendre le partisan de la deuxième case de marché du lieu Poudrière",
    ),
    (
        {"type": "reopen_planning"},
        "Plan on",
        "Voltar a planejar",
        "Reprendre la planification",
    ),
    (
        {"type": "use_place", "place": "castle"},
        "Use the Castle",
        "Usar o local Castelo",
        "Utiliser le lieu Château",
    ),
    (
        {"type": "use_place", "place": "village", "recruit": "craftsman"},
        "Use the Village: recruit a Craftsman",
        "Usar o local Vilarejo: recrutar um Artesão",
        "Utiliser le lieu Village : recruter un Artisan",
    ),
    (
        {"type": "use_place", "place": "village", "recruit": "trader", "tile": "tailor_shop"},
        "Use the Village: recruit a Trader and take the Tailor Shop",
        "Usar o local Vilarejo: recrutar um Comerciante e pegar a ficha Alfaiataria",
        (
            "Utiliser le lieu Village : recruter un Commerçant et prendre la tuile Atelier "
            "du tailleur"
        ),
    ),
    (
        {"type": "use_place", "place": "ship", "link": "orleans-blois-waterway", "good": "wine"},
        "Use the Ship: go along Waterway Orléans–Blois and take Wine",
        "Usar o local Navio: por Via aquática Orléans–Blois e pegar Vinho",
        "Utiliser le lieu Bateau : par Voie navigable Orléans–Blois et prendre Vin",
    ),
    (
        {"type": "use_place", "place": "ship", "link": "orleans-blois-waterway"},
        "Use the Ship: go along Waterway Orléans–Blois",
        "Usar o local Navio: por Via aquática Orléans–Blois",
        "Utiliser le lieu Bateau : par Voie navigable Orléans–Blois",
    ),
    (
        {"type": "use_place", "place": "town_hall", "deliveries": DELIVERIES},
        (
            "Use the Town Hall: send the follower on the first space to Founding the Boatmen's "
            "Guild for 1 coin, the follower on the second space to Canalization for 1 development "
            "point"
        ),
        (
            "Usar o local Prefeitura: enviar o seguidor no primeiro espaço para Fundação da "
            "Guilda dos Barqueiros por 1 moeda, o seguidor no segundo espaço para Canalização "
            "por 1 ponto de desenvolvimento"
        ),
        (
            "Utiliser le lieu Mairie : envoyer le partisan de la première case vers Fondation de "
            "la guilde des bateliers pour 1 pièce, le partisan de la deuxième case vers "
            "Canalisation pour 1 point de développement"
        ),
    ),
    (
        {"type": "use_place", "place": "pharmacy", "coins": 3},
        "Use the Pharmacy: pay 3 coins",
        "Usar o local Botica: pagar 3 moedas",
        "Utiliser le lieu Apothicairerie : payer 3 pièces",
    ),
    (
        {"type": "use_place", "place": "pharmacy", "coins": 1},
        "Use the Pharmacy: pay 1 coin",
        "Usar o local Botica: pagar 1 moeda",
        "Utiliser le lieu Apothicairerie : payer 1 pièce",
    ),
    (
        {"type": "give", "item": "trading_station", "from": "reserve"},
        "For a missing coin, give a trading station from the reserve",
        "Por uma moeda que falta, entregar um posto de comércio da reserva",
        "Pour une pièce manquante, céder un comptoir de la réserve",
    ),
    (
        {"type": "give", "item": "trading_station", "from": "blois"},
        "For a missing coin, give the trading station in Blois",
        "Por uma moeda que falta, entregar o posto de comércio em Blois",
        "Pour une pièce manquante, céder le comptoir de Blois",
    ),
    (
        {"type": "give", "item": "development"},
        "For a missing coin, give a development point",
        "Por uma moeda que falta, entregar um ponto de desenvolvimento",
        "Pour une pièce manquante, céder un point de développement",
    ),
    (
        {"type": "give", "item": "good", "good": "wool"},
        "For a missing coin, give a good: Wool",
        "Por uma moeda que falta, entregar uma mercadoria: Lã",
        "Pour une pièce manquante, céder une marchandise : Laine",
    ),
    (
        {"type": "give", "item": "place_tile", "tile": "winery"},
        "For a missing coin, give the place tile Winery",
        "Por uma moeda que falta, entregar a ficha de local Vinícola",
        "Pour une pièce manquante, céder la tuile Lieu Domaine viticole",
    ),
    (
        {"type": "give", "item": "technology", "place": "castle"},
        "For a missing coin, give the technology tile on the Castle",
        "Por uma moeda que falta, entregar a ficha de tecnologia do local Castelo",
        "Pour une pièce manquante, céder la tuile Technologie du lieu Château",
    ),
    (
        {"type": "give", "item": "technology"},
        "For a missing coin, give a technology tile that is not placed",
        "Por uma moeda que falta, entregar uma ficha de tecnologia que não foi colocada",
        "Pour une pièce manquante, céder une tuile Technologie qui n’est pas placée",
    ),
    (
        {"type": "give", "item": "follower"},
        "For a missing coin, give a follower drawn from the bag",
        "Por uma moeda que falta, entregar um seguidor retirado da bolsa",
        "Pour une pièce manquante, céder un partisan pioché dans le sac",
    ),
]


@pytest.mark.parametrize(
    ("command", "english", "portuguese", "french"), TEXTS, ids=[text for _, text, _, _ in TEXTS]
)
def test_a_text(command: dict[str, Any], english: str, portuguese: str, french: str) -> None:
    app = create_app(Settings(), MemoryStore())
    value = described.parse_command(RULESET.commands, command)
    for language, text in (("en", english), ("pt", portuguese), ("fr", french)):
        with app.test_request_context(headers={"Accept-Language": language}):
            assert descriptions.describe_value(type(value), described.dump(value), RULESET) == text


def told(value: dict[str, Any], table: Table | None = None) -> str:
    """The English text of a command in its plain form, for seat 0 of a table if there is one."""
    cls = RULESET.commands[value["type"]]
    state, seat = (None, None) if table is None else (table.state, 0)
    with create_app(Settings(), MemoryStore()).test_request_context():
        return descriptions.describe_value(cls, value, RULESET, state, seat)


def test_moves_name_the_follower() -> None:
    """O-4.10: where the table is known, who is sent and who is taken up or back is told."""
    table = Table()
    table.man("town_hall", "boatman", "craftsman")
    table.man("castle", "starting_farmer", "monk")
    sent = {**NONE, "type": "use_place", "place": "town_hall", "deliveries": DELIVERIES}
    assert told(sent, table) == (
        "Use the Town Hall: send the Boatman to Founding the Boatmen's Guild for 1 coin, "
        "the Craftsman to Canalization for 1 development point"
    )
    back = {"type": "take_back", "place": "castle", "space": 0}
    assert told(back, table) == (
        "Take the starting Farmer on the Farmer space of the Castle back to the market"
    )
    assert told({**back, "space": 1}, table) == (
        "Take the Monk on the Boatman space of the Castle back to the market"
    )
    assert told({**back, "space": 2}, table) == (
        "Take the follower on the Trader space of the Castle back to the market"
    )


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ({"type": "draw", "count": {"min": 0, "max": 4}}, "Draw 0 to 4 followers"),
        (
            {"type": "use_place", **NONE, "place": "pharmacy", "coins": {"min": 1, "max": 3}},
            "Use the Pharmacy: pay 1 to 3 coins",
        ),
        (
            {"type": "place_technology", "place": "castle", "space": {"min": 0, "max": 1}},
            "Put a technology tile on the Farmer space, the Boatman space of the Castle",
        ),
    ],
)
def test_ranges_are_told(command: dict[str, Any], text: str) -> None:
    assert told(command) == text


def test_a_deed_that_is_worth_more_says_so() -> None:
    sent = [{"space": 0, "deed": "papal_conclave", "reward": "coin"}]
    assert told({**NONE, "type": "use_place", "place": "town_hall", "deliveries": sent}).endswith(
        "to Papal Conclave for 3 coins"
    )
    many = move_texts._points(2)
    assert (many, many.facts) == ("2 development points", {"number": 2})


def test_no_text_has_holes() -> None:
    generator = random.Random(1)
    with create_app(Settings(), MemoryStore()).test_request_context():
        for _ in range(500):
            command = sample_command(RULESET, generator)
            text = descriptions.describe_value(type(command), described.dump(command), RULESET)
            assert not set(text) & set("{}[]_"), text
            assert " –" not in text
            assert "None" not in text
            assert "False" not in text
