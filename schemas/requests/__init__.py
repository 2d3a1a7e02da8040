"""Schemas of requests, one module per resource. May import the shared fields, not responses."""
