"""Pictures of Gabelle: as text."""

from .text import text

__all__ = ["text"]
