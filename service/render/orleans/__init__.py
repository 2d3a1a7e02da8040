"""Pictures of Orléans: as text."""

from .text import text

__all__ = ["text"]
