"""Records of real games are proved; records that were touched are not."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from service.games.game import Game
from service.games.records import format as record_format
from service.games.records.format import Unfinished, parse_record, record_of
from service.games.records.verification import Verification, VerificationFailed, verify_record
from service.games.table.commands import Abandon, AcceptUndo, Resign, Undo
from service.rules.chance import SealedChance
from service.rules.plain import Misshapen
from service.rules.ruleset import rulesets
from tests.games.play import House
from tests.rules.toy import PEBBLES, Options, Take

RED = Options((("red", 9), ("blue", 0)))


def recorded(context: House, game: Game) -> Any:
    """The record, as it comes back from a file."""
    return json.loads(json.dumps(record_of(context.repository, context.newest(game))))


def played(context: House, seed: int = 1) -> Game:
    """A whole game with moves taken back."""
    game = context.seated(None, None, options=RED)
    context.send(game, 0, Take("red"))
    context.send(game, 0, Undo())
    game = context.send(game, 1, AcceptUndo()).game
    return context.play_out(game, random.Random(seed), 0)


@pytest.mark.broad
@pytest.mark.parametrize("law", [PEBBLES, *rulesets().values()], ids=lambda law: law.id)
@pytest.mark.parametrize("seed", range(5))
def test_records_of_random_games_are_proved(context: House, law: Any, seed: int) -> None:
    options = RED if law is PEBBLES else None
    game = context.seated(*[None, None, "easy"][: 2 + seed % 2], ruleset=law, options=options)
    game = context.play_out(game, random.Random(seed), 0.05)
    value = recorded(context, game)
    assert parse_record(value).game == game.id
    proved = verify_record(value)
    assert proved.draws == game.table.next_draw
    assert proved.commands == sum(
        (step["command"] or {}).get("type") in law.commands for step in value["steps"]
    )


def test_a_record_shows_no_token_and_all_chance(context: House) -> None:
    game = played(context)
    value = recorded(context, game)
    text = json.dumps(value)
    for token in (seat.token for seat in game.table.seats):
        assert token is not None
        assert token not in text
    assert game.table.host not in text
    assert value["chance"]["seed"] == game.table.created.sealed_chance["seed"]


@pytest.mark.parametrize("seats", [2, 3])
def test_a_resigned_game_is_proved(context: House, seats: int) -> None:
    game = context.seated(*[None] * seats, options=RED)
    game = context.send(game, 0, Resign()).game
    game = context.play_out(game, random.Random(1), 0)
    value = recorded(context, game)
    assert value["final"]["resigned"] == [0]
    assert value["final"]["score"]["seats"][0]["rank"] == seats
    assert isinstance(verify_record(value), Verification)


def test_abandoned_games_are_proved(context: House) -> None:
    game = context.seated(None, None, options=RED)
    with pytest.raises(Unfinished):
        record_of(context.repository, game)
    context.send(game, 0, Take("red"))
    context.send(game, None, Abandon())
    assert verify_record(recorded(context, game)) == Verification(2, 1)
    never = context.lay(None, None).game
    context.send(never, None, Abandon())
    assert verify_record(recorded(context, never)) == Verification(0, 0)


def test_arranged_games_are_proved(context: House) -> None:
    game = context.seated(None, None, outcomes=("red", "blue", "red"))
    for colour in ("red", "blue", "red"):
        game = context.send(game, game.to_act()[0], Take(colour)).game
    assert game.table.reason == "chance_exhausted"
    value = recorded(context, game)
    assert value["chance"]["outcomes"] == ["red", "blue", "red"]
    assert verify_record(value) == Verification(3, 3)
    value["chance"]["outcomes"][1] = "red"
    with pytest.raises(VerificationFailed, match="commitment"):
        verify_record(value)


def nth(value: Any, kind: Callable[[Any], bool]) -> tuple[int, Any]:
    return next((place, step) for place, step in enumerate(value["steps"]) if kind(step))


def moved(step: Any) -> bool:
    return bool((step["command"] or {}).get("type") == "take" and step["draws"])


def _draw_value(value: Any) -> str:
    place, step = nth(value, moved)
    _, bound, drawn = step["draws"][0]
    step["draws"][0][2] = (drawn + 1) % bound
    return f"/steps/{place}/draws/0"


def _draw_number(value: Any) -> str:
    place, step = nth(value, moved)
    step["draws"][0][0] += 1
    return f"/steps/{place}/draws/0"


def _draw_outside(value: Any) -> str:
    place, step = nth(value, moved)
    step["draws"][0][2] = step["draws"][0][1]
    return f"/steps/{place}/draws/0"


def _event(value: Any) -> str:
    place, step = nth(value, moved)
    step["events"][0]["data"]["hole"] ^= 1
    return f"/steps/{place}/events"


def _event_gone(value: Any) -> str:
    place, step = nth(value, moved)
    del step["events"][-1]
    for later in value["steps"][place:]:
        later["version"] -= 1
    return f"/steps/{place}/events"


def _command(value: Any) -> str:
    place, step = nth(value, moved)
    step["command"]["colour"] = "blue"
    return f"/steps/{place}/command"


def _command_misshapen(value: Any) -> str:
    place, step = nth(value, moved)
    step["command"]["colour"] = "green"
    return f"/steps/{place}/command/colour"


def _seat(value: Any) -> str:
    place, step = nth(value, moved)
    step["seat"] = 1 - step["seat"]
    return f"/steps/{place}/command"


def _seed(value: Any) -> str:
    value["chance"]["seed"] = "0" * 64
    return "/chance/commitment"


def _entropy(value: Any) -> str:
    value["chance"]["entropies"][0] = "ff"
    return "/chance/entropies/0"


def _creation(value: Any) -> str:
    del value["steps"][0]
    return "/steps"


def _head(pointer: str, name: str, told: Any) -> Callable[[Any], str]:
    def touch(value: Any) -> str:
        value["steps"][0]["events"][0]["data"][name] = told
        return pointer

    touch.__name__ = f"_told {name}"
    return touch


def _law(value: Any) -> str:
    value["ruleset"]["version"] += 1
    return "/ruleset/version"


def _unknown_command(value: Any) -> str:
    value["steps"][1]["command"] = {"type": "sing"}
    return "/steps/1"


def _started_again(value: Any) -> str:
    _, step = nth(value, lambda step: any(e["type"] == "game_started" for e in step["events"]))
    again = {**step, "draws": [], "version": value["steps"][-1]["version"] + len(step["events"])}
    value["steps"].append(again)
    return f"/steps/{len(value['steps']) - 1}/events"


def _score(value: Any) -> str:
    value["final"]["score"]["seats"][0]["total"] += 1
    return "/final/score"


def _resigned(value: Any) -> str:
    value["final"]["resigned"] = [1]
    return "/final/resigned"


def _final(value: Any) -> str:
    value["final"] = 7
    return "/final"


def _ending_early(value: Any) -> str:
    place, _ = nth(value, lambda step: step["events"][-1]["type"] == "play_ended")
    del value["steps"][place:]
    return "/final"


def _told_end(value: Any) -> str:
    value["steps"][-1]["events"][-1]["data"]["score"]["seats"][0]["rank"] = 9
    return "/final"


def _revealed(value: Any) -> str:
    for told in (value["final"], value["steps"][-1]["events"][-1]["data"]):
        told["revealed"] = {"seed": "1" * 64}
    return "/final/revealed"


def _abandoned(value: Any) -> str:
    value["final"] = {"type": "abandoned", "reason": "host", "revealed": value["final"]["revealed"]}
    return "/final"


def _version(value: Any) -> str:
    value["steps"][2]["version"] += 1
    return "/steps/2/version"


def _undone(value: Any) -> str:
    place, step = nth(value, lambda step: step["events"][-1]["type"] == "undone")
    step["events"][-1]["data"]["to_version"] = 10**8
    return f"/steps/{place}"


def _before_start(value: Any) -> str:
    _, step = nth(value, moved)
    version = value["steps"][0]["version"] + len(step["events"])
    value["steps"].insert(1, {**step, "draws": [], "version": version})
    return "/steps/1"


TOUCHES = [
    _draw_value, _draw_number, _draw_outside, _event, _event_gone, _command, _command_misshapen,
    _seat, _seed, _entropy, _score, _resigned, _final, _told_end, _revealed, _abandoned, _version,
    _ending_early, _undone, _before_start, _creation, _law, _unknown_command, _started_again,
    _head("/game", "game", "b" * 26), _head("/ruleset/id", "ruleset", "other"),
    _head("/options", "options", {}), _head("/chance/kind", "chance", "arranged"),
    _head("/chance/id", "chance_id", "b"), _head("/chance/commitment", "commitment", "0" * 64),
]  # fmt: skip


@pytest.mark.parametrize("touch", TOUCHES, ids=lambda touch: touch.__name__[1:])
def test_a_record_that_was_touched_is_not_proved(
    context: House, touch: Callable[[Any], str]
) -> None:
    value = recorded(context, played(context))
    verify_record(value)
    pointer = touch(value)
    with pytest.raises(VerificationFailed) as caught:
        verify_record(value)
    assert caught.value.pointer == pointer
    assert caught.value.detail


def test_every_single_draw_is_held(context: House) -> None:
    value = recorded(context, played(context))
    count = 0
    for place, step in enumerate(value["steps"]):
        for index, (_, bound, drawn) in enumerate(step["draws"]):
            if bound > 1:
                touched = copy.deepcopy(value)
                touched["steps"][place]["draws"][index][2] = (drawn + 1) % bound
                with pytest.raises(VerificationFailed, match=f"^/steps/{place}/draws/{index}: "):
                    verify_record(touched)
                count += 1
    assert count >= 5


def cut_off(context: House) -> Any:
    """An abandoned game whose last command drew."""
    game = context.seated(None, None, options=RED)
    context.send(game, 0, Take("red"))
    context.send(game, None, Abandon())
    value = recorded(context, game)
    assert moved(value["steps"][-2])
    return value


def test_a_draw_with_another_bound_is_found_by_the_law(context: House) -> None:
    value = cut_off(context)
    draw = value["steps"][-2]["draws"][0]
    chance = value["chance"]
    entropies = [bytes.fromhex(entropy) for entropy in chance["entropies"]]
    sealed = SealedChance(bytes.fromhex(chance["seed"]), chance["id"], entropies, draw[0])
    draw[1] += 1
    draw[2] = sealed.number(draw[1])
    with pytest.raises(VerificationFailed, match=r"/draws: must be draw \d+ of 1 in 8"):
        verify_record(value)


def test_a_draw_left_out_is_missed(context: House) -> None:
    value = cut_off(context)
    last = value["steps"][-2]
    last["draws"] = []
    assert last["events"].pop()["type"] == "drawn"
    for step in value["steps"][-2:]:
        step["version"] -= 1
    with pytest.raises(VerificationFailed, match="lack a draw"):
        verify_record(value)


def test_arranged_draws_have_the_bounds_that_the_rules_ask_for(context: House) -> None:
    game = context.seated(None, None, outcomes=("red", "blue", "red"))
    context.send(game, 0, Take("red"))
    context.send(game, None, Abandon())
    value = recorded(context, game)
    verify_record(value)
    value["steps"][-2]["draws"][0][1] += 1
    with pytest.raises(VerificationFailed, match="are not the draws"):
        verify_record(value)


def test_a_game_of_three_does_not_end_with_one_who_resigns(context: House) -> None:
    game = context.seated(None, None, None, options=RED)
    context.send(game, 0, Resign())
    context.send(game, None, Abandon())
    value = recorded(context, game)
    verify_record(value)
    ended = {"type": "play_ended", "schema": 1, "data": {"rule": "T-2", "resigned": 0}}
    value["steps"][-2]["events"].append(ended)
    for step in value["steps"][-2:]:
        step["version"] += 1
    with pytest.raises(VerificationFailed, match="do not follow from the resignation"):
        verify_record(value)


def test_a_seat_that_resigns_must_be_one(context: House) -> None:
    game = context.seated(None, None, options=RED)
    context.send(game, 0, Resign())
    context.play_out(context.newest(game), random.Random(1), 0)
    value = recorded(context, game)
    place, step = nth(value, lambda step: step["events"][0]["type"] == "seat_resigned")
    ended = copy.deepcopy(value)
    ended["steps"][place]["events"][1]["data"]["resigned"] = 1
    with pytest.raises(
        VerificationFailed, match=f"^/steps/{place}/events: do not follow from the resignation"
    ):
        verify_record(ended)
    for seat in (7, True, None, "0"):
        step["events"][0]["data"]["seat"] = seat
        with pytest.raises(VerificationFailed, match="no such seat can resign"):
            verify_record(value)


@pytest.mark.parametrize(
    ("path", "wrong", "pointer"),
    [
        (("format",), 2, "/format"),
        (("ruleset", "id"), "no_such", "/ruleset/id"),
        (("options",), {"pebbles": 3}, "/options/pebbles"),
        (("chance", "id"), "é", "/chance/id"),
        (("chance", "entropies"), ["00"], "/chance/entropies"),
        (("chance", "entropies", 1), "0g", "/chance/entropies/1"),
        (("chance", "seed"), "A" * 64, "/chance/seed"),
        (("chance", "kind"), "arranged", "/chance/seed"),
        (("steps", 0, "draws"), [[1, 2]], "/steps/0/draws/0"),
        (("steps", 0, "version"), "1", "/steps/0/version"),
    ],
)
def test_what_is_no_record_is_misshapen(
    context: House, path: tuple[Any, ...], wrong: Any, pointer: str
) -> None:
    value = recorded(context, played(context))
    inner = value
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = wrong
    with pytest.raises(Misshapen) as caught:
        verify_record(value)
    assert caught.value.pointer == pointer


ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 10**6, 2**63 - 1, 2**70, "", "x", "é", "\0", "0" * 64,
    [], [[]], {}, {"type": "take"}, {"type": None}, [0, 0, 0], [0, 1, 0], 1.5,
)  # fmt: skip


def mutated(value: Any, others: Any, generator: random.Random) -> Any:
    """A copy with one to three places changed at random."""
    value = copy.deepcopy(value)
    for _ in range(generator.randint(1, 3)):
        places = [(inner, name) for inner, name in _places(value)]
        inner, name = generator.choice(places)
        act = generator.random()
        if act < 0.5:
            inner[name] = copy.deepcopy(generator.choice(ODD))
        elif act < 0.65:
            del inner[name]
        elif act < 0.8 and isinstance(inner, list):
            inner.insert(name, copy.deepcopy(generator.choice(inner)))
        else:
            source, other = generator.choice(list(_places(others)))
            inner[name] = copy.deepcopy(source[other])
        if not isinstance(value, dict) or not list(_places(value)):
            break
    return value


def _places(value: Any) -> Any:
    if isinstance(value, dict):
        for name in value:
            yield value, name
            yield from _places(value[name])
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield value, place
            yield from _places(inner)


@pytest.mark.broad
@pytest.mark.parametrize("seed", range(12))
def test_no_record_breaks_the_judge(context: House, seed: int) -> None:
    """Whatever was changed: misshapen or not proved, and nothing else is raised."""
    generator = random.Random(seed)
    arranged = context.seated(None, None, outcomes=("red", "blue", "red"))
    context.send(arranged, 0, Take("red"))
    context.send(arranged, None, Abandon())
    resigned = context.seated(None, None, None, options=RED)
    context.send(resigned, 2, Resign())
    context.play_out(context.newest(resigned), generator, 0)
    values = [recorded(context, game) for game in (played(context, seed), arranged, resigned)]
    refused = 0
    for _ in range(60):
        value = generator.choice(values)
        try:
            verify_record(mutated(value, generator.choice(values), generator))
        except (Misshapen, VerificationFailed):
            refused += 1
    assert refused >= 30
    for value in ODD:
        with pytest.raises(Misshapen):
            parse_record(value)


def test_the_formats_number_stands(context: House) -> None:
    assert record_format.FORMAT == recorded(context, played(context))["format"] == 1
