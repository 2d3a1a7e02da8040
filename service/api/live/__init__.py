"""Live delivery."""
