"""Work that nobody waits for: bots' moves, results, what time brings about."""
