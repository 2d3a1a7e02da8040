"""HTTP only: parse, call, present. One resource a file."""
