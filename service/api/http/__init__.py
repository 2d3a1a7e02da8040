"""HTTP plumbing shared by all resources: tokens, conditions, limits, problems, headers, languages.

May import `service.games`, `service.store`, `service.rules` and `schemas`, nothing else of the API.
"""
