"""The record: event streams, and what games owe. Knows bytes, imports nothing of the house."""
