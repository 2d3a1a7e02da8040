"""A game at a table, whatever the ruleset: who sits there, what is written, how it is read."""
