"""Records to import."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError

from ..json_schema import DocumentedSchema, Json


class SentRecord(DocumentedSchema):
    """A record in format 1, as `getRecord` returns it. A worker verifies it later."""

    MEMBERS: Final = ("format", "ruleset", "chance", "steps", "final")

    def load(self, data: Any, **kwargs: Any) -> Any:
        """Returns the record if it has the members of one. Raises ValidationError."""
        if not isinstance(data, dict):
            raise ValidationError({"_schema": ["must be an object"]})
        for name in self.MEMBERS:
            if name not in data:
                raise ValidationError({name: ["is missing"]})
        return data

    def documented(self, reference: Any) -> Json:
        return {
            "type": "object",
            "description": "record format 1",
            "required": list(self.MEMBERS),
        }
