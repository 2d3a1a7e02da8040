"""A game's score as text, whatever the ruleset."""

from __future__ import annotations

from collections.abc import Sequence

from ..rules.plain import Plain


def format_score(scoring: Plain, names: Sequence[str]) -> list[str]:
    """Returns the lines of a scoring in plain form: seats by rank, each with its items."""
    lines = []
    for seat in sorted(scoring["seats"], key=lambda seat: (seat["rank"], seat["seat"])):
        breaks = ", ".join(map(str, seat["tie_breaks"]))
        lines.append(
            f"{seat['rank']}. {names[seat['seat']]}: {seat['total']} points"
            + (f" (then {breaks})" if breaks else "")
        )
        lines += [_item(item) for item in seat["items"]]
    return lines


def _item(item: Plain) -> str:
    facts = ", ".join(
        f"{name.replace('_', ' ')} {_fact(value)}"
        for name, value in item.items()
        if name not in ("name", "points")
    )
    name = item["name"].replace("_", " ")
    return f"   {item['points']:>4}  {name}" + (f" ({facts})" if facts else "")


def _fact(value: Plain) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key} {_fact(each)}" for key, each in value.items())
    if isinstance(value, list):
        return " ".join(map(_fact, value))
    return "none" if value is None else str(value)
