"""Plain data, and the error for plain data that is invalid.

Plain data is what JSON holds: None, bool, int, str, lists and dicts with string keys. There are no
floats anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Plain = Any
"""What JSON holds, floats excepted."""


class Detail(str):
    """A sentence in English that keeps the `template` and the `facts` that it was made of, so that

    it can be translated. A fact may itself be such a sentence.
    """

    template: str
    facts: Mapping[str, str | int]

    def __new__(cls, template: str, **facts: str | int) -> Detail:
        made = super().__new__(cls, template.format(**facts) if facts else template)
        made.template = template
        made.facts = facts
        return made


class Misshapen(ValueError):
    """The data is invalid: it does not have the described form.

    `pointer` is the JSON Pointer (RFC 6901) of the invalid place inside the value that was parsed
    ("" is the value itself); `detail` says in English what was expected there. It is made of a
    template and facts, or is the detail of another fault.
    """

    def __init__(self, pointer: str, template: str, **facts: str | int) -> None:
        detail = template if isinstance(template, Detail) else Detail(template, **facts)
        super().__init__(f"{pointer or '(whole)'}: {detail}")
        self.pointer = pointer
        self.detail = detail


def escape(name: str) -> str:
    """Returns a member name as a JSON Pointer token (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")
