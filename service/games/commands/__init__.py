"""The one write path."""
