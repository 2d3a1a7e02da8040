"""Workers: the jobs for games' due work, their queues, the relay that rings for them, bots.

`jobs` does the work, `bot_sandbox` limits bots, `bot_moves` sends their moves, `webhooks` delivers
messages, `arena` matches bots. Imports games, the store and settings; nothing of HTTP or the
command line. `bots` imports rules and levels alone.
"""
