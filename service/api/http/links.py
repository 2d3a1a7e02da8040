"""Links between resources."""

from __future__ import annotations


def game_links(game: str) -> dict[str, str]:
    """Returns the links to a game's resources."""
    base = f"/v1/games/{game}"
    return {
        "self": base,
        "moves": f"{base}/moves",
        "commands": f"{base}/commands",
        "events": f"{base}/events",
        "score": f"{base}/score",
        "picture": f"{base}/board.svg",
        "record": f"{base}/record",
        "webhooks": f"{base}/webhooks",
        "analyses": f"{base}/analyses",
        "forks": f"{base}/forks",
        "rematch": f"{base}/rematch",
    }
