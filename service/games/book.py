"""The table's rule book: what is the same whatever is played."""

from __future__ import annotations

from typing import Final

from ..rules.ruleset import Rule

RULES: Final = (
    Rule(
        "T-1",
        "A game starts by itself with the last claim, or at once where bots play every seat; laid "
        "with `start: host`, it waits for the host's `start`, which needs every seat filled. The "
        "set-up and its draws belong to the request that starts the game. A seat adds entropy "
        "when it is claimed, before the start, or not at all.",
    ),
    Rule(
        "T-2",
        "A seat may `resign`. Of two seats the other one wins and play ends. Of more, a bot of "
        "the lowest level plays on; the result says that the seat resigned and ranks it last.",
    ),
    Rule(
        "T-3",
        "The host may `abandon` the game; so does the house after a long time without a move. It "
        "ends without a winner, and what was sealed of its chance is shown at once.",
    ),
    Rule(
        "T-4",
        "A seat may `give_to_bot` itself, naming the bot's level. The host may do so for a seat "
        "that resigned, or that has kept the game waiting for longer than the table's patience.",
    ),
    Rule(
        "T-5",
        "A seat may `hand_over`: it opens for somebody else under a new claim code, and the old "
        "token plays on until it is claimed. Who takes a seat in play has no say in chance.",
    ),
    Rule("T-6", "Before the start a seat may `leave`; it is then open again."),
    Rule(
        "T-7",
        "`undo` takes back the last request in which a person decided, with all that followed. At "
        "once if that was the seat's own, and nothing was drawn, or if no other person plays; "
        "otherwise it asks, and every other person must `accept_undo`. One `refuse_undo`, or any "
        "further move, ends the question. Draws are never taken back: what is drawn again comes "
        "anew.",
    ),
    Rule(
        "T-8",
        "A deadline never passes before its time by the record's own clock at the arrival of a "
        "request.",
    ),
    Rule(
        "T-9",
        "A public game may be read by anyone; a private one by its host, its seats and whoever "
        "has the watch code. What the chance is made of stays sealed to the end, hashes of tokens "
        "and codes for ever.",
    ),
    Rule("T-10", "Once play has ended no command is taken any more."),
    Rule(
        "T-11",
        "Commands of the game are sent by the seat itself, the table's commands alone. Of several "
        "commands sent together all are carried out or none; none may follow one that draws.",
    ),
)
