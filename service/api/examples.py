"""Examples and links of the contract: how one answer leads to the next request."""

from __future__ import annotations

from typing import Any, Final

Json = dict[str, Any]

EXAMPLES: Final[dict[str, Json]] = {
    "createGame": {
        "two": {
            "summary": "One person against a bot",
            "value": {
                "ruleset": "carcassonne",
                "seats": [{"kind": "human"}, {"kind": "bot", "level": "easy"}],
            },
        },
    },
    "sendCommands": {
        "start": {"summary": "The host starts the game", "value": {"command": {"type": "start"}}},
        "batch": {
            "summary": "Several commands, all or none",
            "value": {"seat": 0, "commands": [{"type": "resign"}]},
        },
    },
}
ANSWERS: Final[dict[tuple[str, str], Any]] = {}

_GAME = {"game_id": "$response.body#/game/id"}
_SAME = {"game_id": "$request.path.game_id"}

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
        "deleteGame": {"operationId": "deleteGame", "parameters": _GAME},
    },
    ("claimSeat", "201"): {
        "listMoves": {"operationId": "listMoves", "parameters": _SAME},
        "getGame": {"operationId": "getGame", "parameters": _SAME},
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
        "listMoves": {"operationId": "listMoves", "parameters": _SAME},
        "getGame": {"operationId": "getGame", "parameters": _SAME},
        "getScore": {"operationId": "getScore", "parameters": _SAME},
        "getRecord": {"operationId": "getRecord", "parameters": _SAME},
    },
}
