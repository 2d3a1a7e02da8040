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
from service.rules.orleans import RULESET
from service.store import MemoryStore
from tests.rules.samples import sample_command

DELIVERIES = [
    {"space": 0, "deed": "boatmen_guild", "reward": "coin"},
    {"space": 1, "deed": "canalization", "reward": "development"},
]

TEXTS: list[tuple[dict[str, Any], str, str, str]] = [
    (
        {"type": "take_back", "place": "town_hall", "space": 1},
        "Take the follower on space 1 of the Town Hall back to the market",
        "Devolver ao mercado o seguidor no espaço 1 do local Prefeitura",
        "Ramener au marché le partisan de la case 1 du lieu Mairie",
    ),
    (
        {"type": "draw", "count": 4},
        "Draw 4 followers",
        "Retirar seguidores: 4",
        "Piocher des partisans : 4",
    ),
    (
        {
            "type": "place_follower",
            "follower": "boatman",
            "starting": True,
            "place": "village",
            "space": 1,
        },
        "Put a starting Boatman on space 1 of the Village",
        "Colocar um Barqueiro inicial no espaço 1 do local Vilarejo",
        "Placer un Batelier de départ sur la case 1 du lieu Village",
    ),
    (
        {
            "type": "place_follower",
            "follower": "monk",
            "starting": False,
            "place": "village",
            "space": 1,
        },
        "Put a Monk on space 1 of the Village",
        "Colocar um Monge no espaço 1 do local Vilarejo",
        "Placer un Moine sur la case 1 du lieu Village",
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
            "Use the Town Hall: send the follower on space 0 to Founding the Boatmen's Guild "
            "for coin, the follower on space 1 to Canalization for development"
        ),
        (
            "Usar o local Prefeitura: enviar o seguidor no espaço 0 para Fundação da Guilda "
            "dos Barqueiros (moeda), o seguidor no espaço 1 para Canalização "
            "(desenvolvimento)"
        ),
        (
            "Utiliser le lieu Mairie : envoyer le partisan de la case 0 vers Fondation de la "
            "guilde des bateliers (pièce), le partisan de la case 1 vers Canalisation "
            "(développement)"
        ),
    ),
    (
        {"type": "use_place", "place": "pharmacy", "coins": 3},
        "Use the Pharmacy: pay 3 coins",
        "Usar o local Botica; moedas a pagar: 3",
        "Utiliser le lieu Apothicairerie ; pièces à payer : 3",
    ),
    (
        {"type": "give", "item": "trading_station", "from": "reserve"},
        "For a missing coin, give up a trading station from reserve",
        "Por uma moeda em falta, entregar: posto de comércio (reserva)",
        "Pour une pièce manquante, céder : comptoir (réserve)",
    ),
    (
        {"type": "give", "item": "good", "good": "wool"},
        "For a missing coin, give up a good: Wool",
        "Por uma moeda em falta, entregar: mercadoria (Lã)",
        "Pour une pièce manquante, céder : marchandise (Laine)",
    ),
    (
        {"type": "give", "item": "place_tile", "tile": "winery"},
        "For a missing coin, give up a place tile: Winery",
        "Por uma moeda em falta, entregar: ficha de local (Vinícola)",
        "Pour une pièce manquante, céder : tuile Lieu (Domaine viticole)",
    ),
    (
        {"type": "give", "item": "technology", "place": "castle"},
        "For a missing coin, give up a technology on Castle",
        "Por uma moeda em falta, entregar: tecnologia (Castelo)",
        "Pour une pièce manquante, céder : technologie (Château)",
    ),
    (
        {"type": "give", "item": "follower"},
        "For a missing coin, give up a follower",
        "Por uma moeda em falta, entregar: seguidor",
        "Pour une pièce manquante, céder : partisan",
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
