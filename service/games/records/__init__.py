"""Records of games that are over: their format, verification and import, and the archive.

Imports the table, the codec and the write path. Nothing is imported here: the repository reads
archived games by `archive`, and the import needs the repository.
"""

__all__: list[str] = []
