"""OpenAPI assembly, and the pages for people: contract, guide, rule books, problem types.

May import everything of the API; nothing but the application and the command line imports it.
"""
