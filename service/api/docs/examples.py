"""Examples and links of the contract: how one answer leads to the next request."""

from __future__ import annotations

from typing import Any, Final

from ...levels import SEARCHING
from ...rules.ruleset import rulesets

Json = dict[str, Any]

_FIRST: Final = next(iter(rulesets().values()))
_SEATS: Final = [{"kind": "human"}] + [{"kind": "bot", "level": "easy"}] * (min(_FIRST.seats) - 1)

EXAMPLES: Final[dict[str, Json]] = {
    "createGame": {
        "against_bots": {
            "summary": "One person against bots",
            "value": {"ruleset": _FIRST.id, "seats": _SEATS},
        },
        "bots_alone": {
            "summary": "Bots alone: the game starts at once",
            "value": {"ruleset": _FIRST.id, "seats": [{"kind": "bot"}] * min(_FIRST.seats)},
        },
    },
    "judgePosition": {
        "start": {
            "summary": "The start of a game, its draws from a seed",
            "value": {"seats": min(_FIRST.seats), "chance": {"seed": "00" * 32}},
        },
        "draw": {
            "summary": "What may come first",
            "value": {"seats": min(_FIRST.seats)},
        },
    },
    "sendCommands": {
        "start": {"summary": "The host starts the game", "value": {"command": {"type": "start"}}},
        "resign": {
            "summary": "A seat resigns",
            "value": {"seat": 0, "command": {"type": "resign"}},
        },
    },
    "forkGame": {
        "here": {"summary": "From the newest version on", "value": {}},
        "back_then": {"summary": "From an earlier version on", "value": {"version": 4}},
    },
    "askAnalysis": {
        "usual": {"summary": "The best few, quickly", "value": {}},
        "thorough": {"summary": "The two best", "value": {"level": SEARCHING[-1], "top": 2}},
    },
    "askRematch": {
        "rotated": {"summary": "Another seat begins", "value": {}},
        "same": {"summary": "In the same order", "value": {"seats": "same"}},
    },
    "createTournament": {
        "bots": {
            "summary": "Two tables of bots",
            "value": {
                "ruleset": _FIRST.id,
                "seats": [{"kind": "bot"}] * min(_FIRST.seats),
                "tables": 2,
                "visibility": "public",
            },
        }
    },
    "importRecord": {
        "record": {
            "summary": "The beginning of a record; `getRecord` gives out whole ones",
            "value": {"format": 1, "ruleset": {}, "chance": {}, "steps": [], "final": {}},
        }
    },
    "rotateToken": {
        "new": {
            "summary": "A token made by the client",
            "value": {"token": "bl_" + "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"},
        }
    },
    "createWebhook": {
        "turns": {
            "summary": "To be told whose turn it is, and of the end",
            "value": {
                "url": "https://bot.example/bailli",
                "events": ["seat.to_act", "game.finished"],
            },
        },
        "everything": {
            "summary": "To be told everything",
            "value": {"url": "https://bot.example/bailli"},
        },
    },
    "rotateWebhook": {
        "day": {"summary": "A new secret; the old one signs for a day", "value": {}},
        "now": {"summary": "The old secret is lost", "value": {"overlap_s": 0}},
    },
    "claimSeat": {
        "claim": {
            "summary": "The code came from whoever laid the table",
            "value": {"claim_code": "bc_" + "A" * 43, "name": "Ana", "entropy": "six dice"},
        }
    },
}

_GAME = {"game_id": "$response.body#/game/id"}
_SAME = {"game_id": "$request.path.game_id"}
_HOOK = {**_SAME, "hook": "$response.body#/webhook/id"}

LINKS: Final[dict[tuple[str, str], Json]] = {
    ("createGame", "201"): {
        "claimSeat": {
            "operationId": "claimSeat",
            "parameters": {**_GAME, "seat": "$response.body#/claim_codes/0/seat"},
            "requestBody": {
                "claim_code": "$response.body#/claim_codes/0/claim_code",
                "name": "Ana",
            },
            "description": "Take the first open seat.",
        },
        "getGame": {"operationId": "getGame", "parameters": _GAME},
        "listMoves": {"operationId": "listMoves", "parameters": _GAME},
        "listEvents": {"operationId": "listEvents", "parameters": _GAME},
        "getScore": {"operationId": "getScore", "parameters": _GAME},
        "createWebhook": {
            "operationId": "createWebhook",
            "parameters": _GAME,
            "requestBody": {"url": "https://receiver.invalid/bailli"},
        },
        "listWebhooks": {"operationId": "listWebhooks", "parameters": _GAME},
        "getPicture": {"operationId": "getPicture", "parameters": _GAME},
        "deleteGame": {"operationId": "deleteGame", "parameters": _GAME},
        "askRematch": {
            "operationId": "askRematch",
            "parameters": _GAME,
            "requestBody": {},
            "description": "Once play has ended.",
        },
    },
    ("forkGame", "201"): {
        "listMoves": {"operationId": "listMoves", "parameters": _GAME},
        "getGame": {"operationId": "getGame", "parameters": _GAME},
    },
    ("askRematch", "201"): {"getGame": {"operationId": "getGame", "parameters": _GAME}},
    ("askAnalysis", "202"): {
        "getAnalysis": {
            "operationId": "getAnalysis",
            "parameters": {**_SAME, "analysis": "$response.body#/id"},
            "description": "Ask until it is no longer waiting.",
        }
    },
    ("importRecord", "202"): {
        "getImport": {
            "operationId": "getImport",
            "parameters": {"game_id": "$response.body#/id"},
            "description": "Ask until it is no longer waiting.",
        }
    },
    ("createTournament", "201"): {
        "getTournament": {
            "operationId": "getTournament",
            "parameters": {"game_id": "$response.body#/tournament/id"},
        }
    },
    ("claimSeat", "201"): {
        "listMoves": {"operationId": "listMoves", "parameters": _SAME},
        "getGame": {"operationId": "getGame", "parameters": _SAME},
    },
    ("createWebhook", "201"): {
        name: {"operationId": name, "parameters": _HOOK}
        for name in ("getWebhook", "rotateWebhook", "listDeliveries", "deleteWebhook")
    },
    ("listMoves", "200"): {
        "sendFirstMove": {
            "operationId": "sendCommands",
            "parameters": _SAME,
            "requestBody": {
                "seat": "$response.body#/moves/0/seat",
                "command": "$response.body#/moves/0/command",
            },
            "description": "Any move can be sent as it stands; this is the first.",
        },
    },
    ("sendCommands", "201"): {
        "listEvents": {"operationId": "listEvents", "parameters": _SAME},
        "getPicture": {"operationId": "getPicture", "parameters": _SAME},
        "listMoves": {"operationId": "listMoves", "parameters": _SAME},
        "getGame": {"operationId": "getGame", "parameters": _SAME},
        "getScore": {"operationId": "getScore", "parameters": _SAME},
        "getRecord": {"operationId": "getRecord", "parameters": _SAME},
        "forkGame": {
            "operationId": "forkGame",
            "parameters": _SAME,
            "requestBody": {"version": "$response.body#/version"},
            "description": "Try something else from here.",
        },
    },
}
