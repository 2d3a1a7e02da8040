"""Path converters: ids and numbers in paths. A path that does not match is not found (404)."""

from __future__ import annotations

from typing import Final

from werkzeug.routing import BaseConverter, Map


class GameIdConverter(BaseConverter):
    """A game's id (also a tournament's or an analysis's)."""

    regex = r"[a-z2-7]{26}"

    def __init__(self, map: Map) -> None:
        super().__init__(map)


class SeatNumberConverter(BaseConverter):
    """A seat's number, 0 to 7."""

    regex = r"[0-7]"

    def to_python(self, value: str) -> int:
        return int(value)


class WebhookIdConverter(BaseConverter):
    """A webhook's id."""

    regex = r"[a-z2-7]{16}"


class DeliveryNumberConverter(BaseConverter):
    """The number of a webhook's delivery, from 1."""

    regex = r"[1-9][0-9]{0,8}"

    def to_python(self, value: str) -> int:
        return int(value)


class RulesetIdConverter(BaseConverter):
    """A ruleset's id."""

    regex = r"[a-z_]{1,64}"


CONVERTERS: Final[dict[str, type[BaseConverter]]] = {
    "game_id": GameIdConverter,
    "seat_number": SeatNumberConverter,
    "ruleset_id": RulesetIdConverter,
    "hook_id": WebhookIdConverter,
    "delivery_number": DeliveryNumberConverter,
}
"""From the name in a route to its converter."""
