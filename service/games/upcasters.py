"""Upcasters: they bring stored events of earlier schema versions to the present one.

One step per (type, schema): a pure function from the stored data to the data of the next schema.
`upcast` chains the steps, so that each knows only its neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..rules.plain import Plain

Step = Callable[[dict[str, Plain]], dict[str, Plain]]


def _without_deadline(data: dict[str, Plain]) -> dict[str, Plain]:
    return {**data, "deadline": None}


STEPS: Mapping[tuple[str, int], Step] = {("game_created", 1): _without_deadline}


def upcast(
    type: str,
    schema: int,
    data: dict[str, Plain],
    steps: Mapping[tuple[str, int], Step] = STEPS,
) -> dict[str, Plain]:
    """Returns the data in the newest schema of its type; unchanged where there is no step."""
    while (step := steps.get((type, schema))) is not None:
        data = step(data)
        schema += 1
    return data
