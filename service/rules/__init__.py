"""The law: what each game's rules say. Pure; imports the standard library only."""
