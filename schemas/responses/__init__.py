"""Schemas of responses, for the OpenAPI contract and tests; responses are sent as plain data.

May import the limits that requests declare.
"""

from .analyses import Analysis, RankedCommand
from .commands import Committed, DryRun, Events, Move, Moves, RangedMove, Replaced
from .fields import GAME_ID_PATTERN, WEBHOOK_ID_PATTERN
from .games import (
    ChanceView,
    ClaimedSeat,
    Clock,
    CreatedGame,
    Duplicate,
    Game,
    Games,
    GameSummary,
    Imported,
    Place,
    RulesetVersion,
    Seat,
    SeatCode,
    UndoRequest,
)
from .positions import DrawDue, JudgedPosition
from .problems import Problem
from .records import Fault, Import
from .rulesets import (
    CommandText,
    ComponentText,
    LevelText,
    RulesetDescription,
    Rulesets,
    RulesetSummary,
    RuleText,
)
from .scores import Score, SeatScore
from .service import Health, Service
from .tokens import RotatedToken
from .tournaments import CreatedTournament, Standing, TableCodes, TableSeat, Tournament
from .turns import Turn, Turns
from .webhooks import (
    Deliveries,
    Delivery,
    Webhook,
    WebhookData,
    WebhookMessage,
    WebhookResponse,
    Webhooks,
    WebhookSecret,
)

__all__ = [
    "GAME_ID_PATTERN",
    "WEBHOOK_ID_PATTERN",
    "Analysis",
    "ChanceView",
    "ClaimedSeat",
    "Clock",
    "CommandText",
    "Committed",
    "ComponentText",
    "CreatedGame",
    "CreatedTournament",
    "Deliveries",
    "Delivery",
    "DrawDue",
    "DryRun",
    "Duplicate",
    "Events",
    "Fault",
    "Game",
    "GameSummary",
    "Games",
    "Health",
    "Import",
    "Imported",
    "JudgedPosition",
    "LevelText",
    "Move",
    "Moves",
    "Place",
    "Problem",
    "RangedMove",
    "RankedCommand",
    "Replaced",
    "RotatedToken",
    "RuleText",
    "RulesetDescription",
    "RulesetSummary",
    "RulesetVersion",
    "Rulesets",
    "Score",
    "Seat",
    "SeatCode",
    "SeatScore",
    "Service",
    "Standing",
    "TableCodes",
    "TableSeat",
    "Tournament",
    "Turn",
    "Turns",
    "UndoRequest",
    "Webhook",
    "WebhookData",
    "WebhookMessage",
    "WebhookResponse",
    "WebhookSecret",
    "Webhooks",
]
