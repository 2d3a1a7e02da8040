"""What clients receive. Used for the contract and by tests; answers leave as plain data."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import Schema, fields

from service.games.deadlines import Deadline
from service.games.events import MOST_BOT_DELAY, REPLACING, STARTS, VISIBILITIES
from service.games.table import STATUSES
from service.games.telling import REASONS, TYPES
from service.levels import LEVELS, METHODS, SEARCHING
from service.rules.plain import Flag, Kind, Maybe, OneOf, Structure, Text, Whole

from .basics import SEAT
from .described import Described
from .openapi import Json
from .requests import MOST_TOP

VERSION: Final = Whole(0, 10**9)
FLAG: Final = Flag()
TIME: Final = Whole(0, 2**53)
ID_PATTERN: Final = "^[a-z2-7]{26}$"
HOOK_PATTERN: Final = "^[a-z2-7]{16}$"


def _said(kind: Kind, meaning: str, **documented: Any) -> Described:
    field = Described(kind, required=True, metadata={"description": meaning})
    field.documented = {**field.documented, **documented}
    return field


def _plain(meaning: str, schema: Json) -> fields.Raw:
    field = fields.Raw(required=True, metadata={"description": meaning})
    field.documented = schema  # type: ignore[attr-defined]
    return field


def _component(name: str) -> Json:
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def _listed(schema: type[Schema], meaning: str) -> fields.List[Any]:
    return fields.List(fields.Nested(schema), required=True, metadata={"description": meaning})


def _durable() -> fields.Boolean:
    return fields.Boolean(
        metadata={
            "description": "false: it stands, but the copies that the service waits for have not "
            "confirmed it in time; repeated with the same Idempotency-Key, it is asked for again. "
            "Left out where it is so"
        }
    )


def _game_id() -> Described:
    return _said(Text(26), "the game's id", pattern=ID_PATTERN, maxLength=26)


def _more() -> Described:
    return _said(Maybe(Text(200)), "the cursor of the next page; null: this is the last")


class Problem(Schema):
    """An error (RFC 9457). `code` is stable; `detail` is for people."""

    type = _said(Text(200), "where this kind of problem is explained (URI reference)")
    title = _said(Text(200), "the kind of problem in words")
    status = _said(Whole(400, 599), "the status code")
    code = _said(Text(64), "the kind of problem, for programs")
    detail = _said(Text(4000), "what is wrong here, for people")
    instance = Described(Text(4000), metadata={"description": "the path that was asked"})
    request_id = _said(Text(64), "names this request in the service's log")
    rule = Described(Text(16), metadata={"description": "the rule that forbids the command"})
    index = Described(
        Whole(0, 1_000), metadata={"description": "which command or step is refused, from 0"}
    )
    version = Described(VERSION, metadata={"description": "the game's present version"})
    scope = Described(OneOf(("client", "all")), metadata={"description": "whose limit was reached"})
    limit = Described(
        Whole(0, 1_000_000), metadata={"description": "how many there may be at a time"}
    )
    errors = fields.List(
        fields.Dict(keys=fields.String(), values=fields.String()),
        metadata={"description": "each fault with its place, a JSON Pointer"},
    )
    links = fields.Dict(
        keys=fields.String(), values=fields.String(), metadata={"description": "what to ask next"}
    )


class Service(Schema):
    """Where to begin."""

    name = _said(Text(64), "the service")
    version = _said(Text(64), "its version")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Health(Schema):
    """Whether the service works."""

    status = _said(OneOf(("ok",)), "it does")


class RulesetShort(Schema):
    """A game that can be played."""

    id = _said(Text(64), "the ruleset's id")
    title = _said(Text(200), "the game's name")
    version = _said(VERSION, "the version of the rules")
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "seat counts"})
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Rulesets(Schema):
    """All games that can be played."""

    rulesets = _listed(RulesetShort, "by id")


class RuleText(Schema):
    """A rule."""

    id = _said(Text(16), "the rule's id, as in refusals")
    text = _said(Text(20_000), "the rule, Markdown")


class CommandText(Schema):
    """A command's description."""

    type = _said(Text(64), "the command's name")
    rule = _said(Text(16), "the rule that allows it")
    text = _said(
        Text(400),
        "what it does; names in braces stand for its fields, parts in brackets may be left out",
    )
    schema = _plain("its JSON Schema", {"type": "object"})


class ComponentText(Schema):
    """A thing of the game."""

    kind = _said(Text(64), "what sort of thing")
    id = _said(Text(64), "its id")
    names = _plain("its name by language", {"type": "object"})
    facts = _plain("what is printed on it", {"type": "object"})


class LevelText(Schema):
    """A level of bots: what bounds its thinking about a move; null where nothing is searched."""

    name = _said(OneOf(LEVELS), "the level's name")
    method = _said(OneOf(METHODS), "any legal move, the best in sight, or a tree search")
    simulations = _said(Maybe(Whole(1, 1_000_000)), "the most simulations a command takes")
    seconds = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "the seconds after which none is begun"},
    )


class RulesetFull(RulesetShort):
    """A game: its options, commands, components and rules."""

    options = _plain("the JSON Schema of its options, with defaults", {"type": "object"})
    commands = _listed(CommandText, "the game's own commands, in the rule book's order")
    table_commands = _listed(CommandText, "the table's commands")
    components = _listed(ComponentText, "what it is played with")
    levels = _listed(LevelText, "the levels of bots, lowest first")
    rules = _listed(RuleText, "the rule book")
    table_rules = _listed(RuleText, "the table's rules")


class Seat(Schema):
    """A seat."""

    seat = _said(SEAT, "its number")
    name = _said(Maybe(Text(80)), "the name shown")
    kind = _said(OneOf(("human", "bot")), "who plays")
    level = _said(Maybe(OneOf(LEVELS)), "the bot's level")
    open = _said(FLAG, "whether it may be claimed")
    resigned = _said(FLAG, "whether it resigned")


class LawVersion(Schema):
    """A ruleset with the version of its rules."""

    id = _said(Text(64), "the ruleset's id")
    version = _said(VERSION, "the version of the rules")


class Clock(Schema):
    """A seat's time: as it was at the last append, never what is left of it now."""

    seat = _said(SEAT, "the seat")
    bank = _said(TIME, "what it had left, ms")
    deadline = _said(
        Maybe(TIME), "by when it must act, ms since 1970; null: the game does not wait for it"
    )


class GameShort(Schema):
    """A game in a list."""

    id = _game_id()
    ruleset = fields.Nested(LawVersion, required=True)
    version = _said(VERSION, "how many events there are")
    status = _said(OneOf(STATUSES), "how far it is")
    visibility = _said(OneOf(VISIBILITIES), "who may read it")
    seats = _listed(Seat, "in the order of play")
    to_act = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats it waits for"}
    )
    clocks = _listed(Clock, "of the seats that people play; empty without a deadline")
    created_at = _said(TIME, "ms since 1970")
    changed_at = _said(TIME, "ms since 1970")


class ChanceShown(Schema):
    """What may be known of the chance before it is revealed."""

    kind = _said(OneOf(("sealed", "arranged")), "where draws come from")
    id = _said(Text(64), "the id in the draws' derivation")
    commitment = _said(Text(64), "SHA-256 of what is sealed, hexadecimal")
    entropies = fields.List(
        Described(Text(64)), required=True, metadata={"description": "what the seats added"}
    )
    draws = _said(VERSION, "how many draws were made")


class UndoShown(Schema):
    """A question whether moves are taken back."""

    seat = _said(SEAT, "who asks")
    to_version = _said(VERSION, "what would be the last version that counts")
    agreed = fields.List(Described(SEAT), required=True, metadata={"description": "who has agreed"})


class Place(Schema):
    """A position of another game."""

    game = _game_id()
    version = _said(VERSION, "the version")


class Imported(Schema):
    """A record that a game was taken from."""

    game = _said(Text(64), "the game's id in the record")
    digest = _said(Text(64), "SHA-256 of the record as it was sent, hexadecimal")


class Duplicate(Schema):
    """A table of a duplicate tournament."""

    id = _said(Text(26), "the tournament's id", pattern=ID_PATTERN, maxLength=26)
    table = _said(Whole(0, 99), "the table's number")
    tables = _said(Whole(1, 100), "how many tables there are")


class Game(GameShort):
    """A game: everything that may be seen of it."""

    in_progress = _said(FLAG, "whether the version lies inside an append")
    start = _said(OneOf(STARTS), "what starts it")
    forked_from = fields.Nested(
        Place,
        required=True,
        allow_none=True,
        metadata={"description": "the position that the game branches off from"},
    )
    rematch_of = _said(Maybe(Text(26)), "the game that it is the rematch of")
    tournament = fields.Nested(
        Duplicate,
        required=True,
        allow_none=True,
        metadata={"description": "the tournament that the game is a table of"},
    )
    imported = fields.Nested(
        Imported,
        required=True,
        allow_none=True,
        metadata={"description": "the record that the game was taken from"},
    )
    options = _plain("the options, every one named", {"type": "object"})
    deadline = _said(Maybe(Structure(Deadline)), "how long people may take; null: no deadline")
    bot_delay = _said(
        Whole(0, MOST_BOT_DELAY), "ms at least between a bot's move and the event before it"
    )
    advice = _said(FLAG, "whether seats may ask for a bot's advice")
    chance = fields.Nested(ChanceShown, required=True)
    undo = fields.Nested(UndoShown, required=True, allow_none=True)
    board = _plain(
        "the position, in the ruleset's own form; null before the start",
        {"type": ["object", "null"]},
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Games(Schema):
    """A page of games, newest first."""

    games = _listed(GameShort, "newest first")
    next = _more()


class SeatCode(Schema):
    """The code that opens a seat. Whoever has it may claim the seat."""

    seat = _said(SEAT, "the seat")
    claim_code = _said(Text(46), "its code")


class Created(Schema):
    """A table was laid."""

    game = fields.Nested(Game, required=True)
    claim_codes = _listed(SeatCode, "one for each open seat")
    watch_code = _said(
        Maybe(Text(46)), "with which a private game may be read, sent as the Bearer token"
    )
    token = _said(Maybe(Text(46)), "the token made for a client that sent none; shown once")
    durable = _durable()


class Replaced(Schema):
    """There where a bot of a lower level moved in place of the seat's own."""

    level = _said(OneOf(LEVELS), "the seat's own level")
    by = _said(OneOf(LEVELS), "the level that moved")
    reason = _said(
        OneOf(REPLACING), "why: it came to nothing, or took too long or too many simulations"
    )


class Claimed(Schema):
    """A seat was taken."""

    seat = _said(SEAT, "the seat")
    version = _said(VERSION, "the game's version after that")
    events = _plain(
        "what happened", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    token = _said(Maybe(Text(46)), "the token made for a client that sent none; shown once")
    durable = _durable()


class Written(Schema):
    """Commands were carried out."""

    version = _said(VERSION, "the version after the last of these events")
    events = _plain(
        "what happened", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    claim_codes = _listed(SeatCode, "codes made by handing seats over")
    durable = _durable()


class Tried(Schema):
    """What would happen, up to the first draw."""

    version = _said(VERSION, "the version that it was tried on")
    events = _plain(
        "what would happen", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}}
    )
    stopped = _said(Maybe(OneOf(("chance",))), "chance: a draw would follow")


class Move(Schema):
    """A command that can be sent as it stands: `seat` and `command` are the body."""

    seat = _said(Maybe(SEAT), "the seat; null: the host, for none")
    command = _plain("the command", _component("Command"))
    text = _said(Text(400), "what it does")


class RangedMove(Schema):
    """Commands that differ in one number, which is given as `{"min": …, "max": …}`."""

    seat = _said(Maybe(SEAT), "the seat")
    command = _plain("the command; one number may be a range", {"type": "object"})
    text = _said(Text(400), "what it does")


class Moves(Schema):
    """Everything that the caller may send now."""

    version = _said(VERSION, "the game's version")
    seats = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats that the token holds"}
    )
    to_act = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats the game waits for"}
    )
    clocks = _listed(Clock, "of the seats that people play; empty without a deadline")
    moves = _listed(Move, "the game's own commands")
    table = _listed(Move, "the table's commands")
    reason = _said(
        Maybe(OneOf(("not_started", "game_over", "in_progress", "no_seat", "not_your_turn"))),
        "why no command of the game is listed",
    )
    ranges = fields.List(
        fields.Nested(RangedMove), metadata={"description": "the same as `moves`, folded"}
    )


class Events(Schema):
    """A page of events."""

    version = _said(VERSION, "the game's present version")
    events = _plain("in order", {"type": "array", "items": {"$ref": "#/components/schemas/Event"}})
    next = _said(Maybe(VERSION), "`after` of the next page; null: there is no more yet")


class Turn(Schema):
    """A game that waits for the caller."""

    game = _game_id()
    ruleset = _said(Text(64), "the ruleset's id")
    version = _said(VERSION, "the game's version")
    seats = fields.List(
        Described(SEAT), required=True, metadata={"description": "the caller's seats that must act"}
    )
    why = _said(OneOf(("move", "undo", "start")), "a move, an answer to undo, the host's start")
    since = _said(TIME, "since when, ms since 1970")
    deadline = _said(
        Maybe(TIME), "when the first of these seats must have acted, ms since 1970; null: never"
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Turns(Schema):
    """What waits for the caller."""

    turns = _listed(Turn, "newest first")
    next = _more()
    state = _said(
        Maybe(Text(32)), "names all that waits, for `after`; null unless asked with Prefer: wait"
    )


class Webhook(Schema):
    """A webhook of the caller. Its secrets are not shown."""

    id = _said(Text(16), "its id", pattern=HOOK_PATTERN, maxLength=16)
    url = _said(Text(2_100), "where it leads", maxLength=2_100)
    events = fields.List(
        Described(OneOf(TYPES)), required=True, metadata={"description": "what is told"}
    )
    status = _said(OneOf(("active", "disabled")), "whether anything is sent")
    reason = _said(
        Maybe(OneOf(REASONS)),
        "why it is disabled: the receiver answered 410 (gone), it failed over the whole schedule "
        "(exhausted), the token is no longer at the table (no_right)",
    )
    version = _said(VERSION, "the version up to which everything was told")
    waiting = _said(VERSION, "messages that are written and not yet taken")
    failures = _said(VERSION, "failed attempts at the first of them")
    next_attempt_at = _said(Maybe(TIME), "when it is tried again, ms since 1970; null: at once")
    old_secret_until = _said(
        Maybe(TIME), "until when an older secret signs too, ms since 1970; null: it does not"
    )
    created_at = _said(TIME, "ms since 1970")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Webhooks(Schema):
    """The caller's webhooks of a game."""

    webhooks = _listed(Webhook, "oldest first")


class WebhookShown(Schema):
    """A webhook."""

    webhook = fields.Nested(Webhook, required=True)


class WebhookSecret(WebhookShown):
    """A webhook with its secret, which is shown only here."""

    secret = _said(Text(96), "signs what is sent; keep it", maxLength=96)


class Delivery(Schema):
    """An attempt to tell a webhook something."""

    number = _said(Whole(1, 10**9), "counted for the webhook")
    message = _said(Text(64), "webhook-id: the same on each attempt at the same message")
    type = _said(OneOf(TYPES), "what was told")
    after = _said(VERSION, "it tells of what happened after this version")
    version = _said(VERSION, "up to this one")
    at = _said(TIME, "when it was sent, ms since 1970")
    attempt = _said(Whole(1, 100), "which attempt at the message it was")
    replay = _said(FLAG, "whether it was sent again because somebody asked for it")
    status = _said(Maybe(Whole(100, 999)), "the status answered")
    fault = _said(
        Maybe(
            OneOf(
                (
                    "unresolved",
                    "refused_address",
                    "no_connection",
                    "tls",
                    "timeout",
                    "closed",
                    "malformed",
                )
            )
        ),
        "what went wrong where no status came",
    )
    ms = _said(TIME, "how long it took")
    outcome = _said(OneOf(("delivered", "failed", "disabled")), "what came of it")


class Deliveries(Schema):
    """A page of deliveries; the last hundred are kept."""

    deliveries = _listed(Delivery, "newest first")
    next = _said(Maybe(VERSION), "`before` of the next page; null: this is the last")


class WebhookData(Schema):
    """What happened: ids and versions, no state."""

    webhook = _said(Text(16), "the webhook's id", pattern=HOOK_PATTERN, maxLength=16)
    game = _game_id()
    ruleset = _said(Text(64), "the ruleset's id")
    version = _said(VERSION, "the game's version then")
    after = Described(VERSION, metadata={"description": "game.events: what came after this"})
    seats = fields.List(
        Described(SEAT), metadata={"description": "seat.to_act: the seats that must act"}
    )
    status = Described(OneOf(STATUSES), metadata={"description": "game.finished: how it ended"})
    reason = Described(
        Maybe(Text(64)), metadata={"description": "game.finished: why, if it was abandoned"}
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class WebhookMessage(Schema):
    """What a receiver is sent, signed as Standard Webhooks says."""

    type = _said(OneOf(TYPES), "what happened")
    timestamp = fields.DateTime(required=True, metadata={"description": "when it happened"})
    data = fields.Nested(WebhookData, required=True)


class SeatScore(Schema):
    """A seat's score."""

    seat = _said(SEAT, "the seat")
    total = _said(Whole(-(10**6), 10**6), "points")
    rank = _said(Whole(1, 8), "1 is best; ties share the better rank")
    tie_breaks = fields.List(
        fields.Integer(), required=True, metadata={"description": "compared after the total"}
    )
    items = _plain(
        "line by line: name, points and how they came about",
        {"type": "array", "items": {"type": "object", "required": ["name", "points"]}},
    )


class Score(Schema):
    """The score as if play ended now, or the result."""

    version = _said(VERSION, "the game's version")
    final = _said(FLAG, "whether play has ended")
    recorded = _said(FLAG, "whether the result stands in the record")
    resigned = fields.List(
        Described(SEAT), required=True, metadata={"description": "seats that resigned"}
    )
    seats = _listed(SeatScore, "by seat; empty before the start")


class DrawDue(Schema):
    """A draw that is due: what may come, and how many of each; empty for a plain number."""

    bound = _said(Whole(1, 2**53), "one of so many")
    ids = fields.List(fields.String(), required=True, metadata={"description": "what may come"})
    counts = fields.List(
        fields.Integer(), required=True, metadata={"description": "how many of each"}
    )


class Judgement(Schema):
    """What a position is."""

    board = _plain("the position, in the ruleset's own form", {"type": "object"})
    to_act = fields.List(
        Described(SEAT), required=True, metadata={"description": "the seats that may act"}
    )
    moves = _listed(Move, "all legal commands of all seats")
    score = _plain("the score as if play ended now", {"type": "object"})
    over = _said(FLAG, "whether play has ended")
    draws = _said(VERSION, "how many draws were made")
    stopped = _said(Maybe(OneOf(("chance",))), "chance: a draw is due and none is given")
    due = fields.Nested(DrawDue, required=True, allow_none=True)


class TableSeat(Schema):
    """A seat of a tournament's table."""

    seat = _said(SEAT, "its number")
    name = _said(Maybe(Text(80)), "the name shown")
    kind = _said(OneOf(("human", "bot")), "who plays")
    total = _said(Maybe(Whole(-(10**6), 10**6)), "points so far; null before the start")
    rank = _said(Maybe(Whole(1, 8)), "its rank at the table so far")


class Standing(Schema):
    """A table of a tournament."""

    table = _said(Whole(0, 99), "its number")
    game = _game_id()
    status = _said(Maybe(OneOf((*STATUSES, "deleted"))), "how far it is; null: it was never laid")
    version = _said(Maybe(VERSION), "how many events there are")
    seats = fields.List(
        fields.Nested(TableSeat),
        required=True,
        allow_none=True,
        metadata={"description": "null where the caller may not read the table and it goes on"},
    )
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Tournament(Schema):
    """A duplicate tournament: several tables with one chance."""

    id = _said(Text(26), "its id", pattern=ID_PATTERN, maxLength=26)
    ruleset = fields.Nested(LawVersion, required=True)
    options = _plain("the options, every one named", {"type": "object"})
    chance = _said(OneOf(("sealed", "arranged")), "where draws come from")
    commitment = _said(Text(64), "SHA-256 of what is sealed, hexadecimal")
    revealed = _said(FLAG, "whether all tables are over and their chance is shown")
    tables = _listed(Standing, "by number")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class TableCodes(Schema):
    """What opens a tournament's table."""

    table = _said(Whole(0, 99), "its number")
    game = _game_id()
    claim_codes = _listed(SeatCode, "one for each open seat")
    watch_code = _said(Maybe(Text(46)), "with which a private table may be read")


class TournamentLaid(Schema):
    """A tournament was laid."""

    tournament = fields.Nested(Tournament, required=True)
    tables = _listed(TableCodes, "the codes of each table")
    durable = _durable()


class Fault(Schema):
    """Why a record is refused."""

    pointer = _said(Text(4000), "the place of the first fault, a JSON Pointer into the record")
    detail = _said(Text(4000), "what is wrong there; a rule is named by its id")


class Import(Schema):
    """A record that was sent."""

    id = _game_id()
    status = _said(OneOf(("waiting", "done", "refused")), "what came of it")
    fault = fields.Nested(
        Fault, required=True, allow_none=True, metadata={"description": "why it is refused"}
    )
    links = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        required=True,
        metadata={"description": "`self`, and `game` once it is done"},
    )


class Expectation(Schema):
    """A command with what may be expected after it. `seat` and `command` can be sent as they

    stand.
    """

    rank = _said(Whole(1, MOST_TOP), "1 is best")
    seat = _said(SEAT, "the seat")
    command = _plain("the command, as `moves` lists it", _component("Command"))
    text = _said(Text(400), "what it does")
    expected_scores = fields.List(
        fields.Float(),
        required=True,
        metadata={"description": "the points each seat may expect at the end, by seat"},
    )
    win_chance = fields.Float(
        required=True,
        metadata={"description": "the chance that the seat wins, 0 to 1; ties count in parts"},
    )
    visits = _said(Whole(0, 1_000_000), "how often the search tried it")


class Analysis(Schema):
    """A bot's advice for a seat."""

    id = _said(Text(26), "its id", pattern=ID_PATTERN, maxLength=26)
    game = _game_id()
    status = _said(
        OneOf(("waiting", "done", "failed")), "whether it is thought out; failed: ask again"
    )
    version = _said(VERSION, "the game's version that it is about")
    seat = _said(SEAT, "the seat that is advised")
    level = _said(OneOf(SEARCHING), "the level that thinks")
    top = _said(Whole(1, MOST_TOP), "the most commands that are ranked")
    simulations = _said(
        Maybe(Whole(1, 1_000_000)), "how often the game was played on; null: not thought out"
    )
    ranked = _listed(Expectation, "best first, each command once; a search looks at the best few")
    line = _listed(Move, "the best command with those of the seat that go together with it")
    expires_at = _said(TIME, "when it is forgotten, ms since 1970")
    links = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class Rotated(Schema):
    """The token was replaced."""

    games = _said(Whole(0, 10**9), "in so many games")
