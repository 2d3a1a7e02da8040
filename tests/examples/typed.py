"""Plays a whole game with the client that openapi-python-client makes of the contract.

    python typed.py http://127.0.0.1:8000 RULESET

Run with the generated package `bailli_client` on the path; prints the final status. Every answer is
an object of its own class, down to commands and events, or the program fails.
"""

from __future__ import annotations

import random
import secrets
import sys

from bailli_client import AuthenticatedClient, models
from bailli_client.api.commands import send_commands
from bailli_client.api.events import list_events
from bailli_client.api.games import create_game, get_game
from bailli_client.api.moves import list_moves
from bailli_client.api.pictures import get_picture
from bailli_client.api.rulesets import judge_position, list_rulesets
from bailli_client.api.score import get_score
from bailli_client.api.seats import claim_seat


def main(url: str, ruleset: str) -> None:
    """Plays; see above."""
    word = "".join(part.capitalize() for part in ruleset.split("_"))
    table = getattr(models, f"Create{word}")
    position = getattr(models, f"{word}Position")
    named = getattr(models, f"Create{word}Ruleset")(ruleset)
    token = "bl_" + secrets.token_urlsafe(32)
    with AuthenticatedClient(base_url=url, token=token) as client:
        known = {each.id: each for each in list_rulesets.sync(client=client).rulesets}
        fewest = known[ruleset].seats[0]
        count = getattr(models, f"{word}PositionSeats")(fewest)
        path = models.JudgePositionRuleset(ruleset)
        start = judge_position.sync(path, client=client, body=position(seats=count))
        assert isinstance(start, models.JudgedPosition), start

        bot = models.BotSeat(kind=models.BotSeatKind.BOT, level=models.BotSeatLevel.RANDOM)
        seats = [models.HumanSeat(kind=models.HumanSeatKind.HUMAN), *[bot] * (fewest - 1)]
        body = table(ruleset=named, seats=seats)
        made = create_game.sync(client=client, body=body, idempotency_key="lay")
        assert isinstance(made, models.CreatedGame), made
        again = create_game.sync(client=client, body=body, idempotency_key="lay")
        assert again.game.id == made.game.id
        game = made.game.id
        (code,) = made.claim_codes
        claim = models.ClaimSeat(claim_code=code.claim_code, name="typed")
        claimed = claim_seat.sync(game, code.seat, client=client, body=claim)
        assert isinstance(claimed, models.ClaimedSeat), claimed

        tag = None
        while (now := list_moves.sync_detailed(game, client=client)).parsed.reason != "game_over":
            listed = now.parsed
            assert isinstance(listed, models.Moves), listed
            if not listed.moves:
                list_events.sync(game, client=client, after=listed.version, prefer="wait=20")
                continue
            move = random.choice(listed.moves)
            sent = models.OneCommand(command=move.command, seat=move.seat)
            if tag is not None:
                stale = send_commands.sync(game, client=client, body=sent, if_match=tag)
                assert isinstance(stale, models.Problem), stale
                assert stale.code == "stale"
            tag = now.headers["ETag"]
            done = send_commands.sync(game, client=client, body=sent, if_match=tag)
            if isinstance(done, models.Problem):  # another seat was faster: look again
                assert done.code == "stale", done
                continue
            assert isinstance(done, models.Committed), done
            for event in done.events:
                assert type(event).__name__.endswith("Event"), event
        assert "<svg" in get_picture.sync(game, client=client)
        assert get_score.sync(game, client=client).final
        print(get_game.sync(game, client=client).status)


if __name__ == "__main__":
    main(*sys.argv[1:])
