"""Pictures of Orléans: as text and as SVG."""

from .svg import svg
from .text import text

__all__ = ["svg", "text"]
