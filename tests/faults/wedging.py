"""The application as gunicorn serves it, but for one thing: a request with the header `Wedge` never

ends. It keeps its worker busy for good, "before" or "after" it was carried out; once only, for the
file that stands for it is removed first.
"""

from __future__ import annotations

import os
from pathlib import Path

from flask import Response, request

from service.app import create_app

app = create_app()
FILE = Path(os.environ["WEDGE"])


def _wedge(when: str) -> None:
    if request.headers.get("Wedge") == when and FILE.exists():
        FILE.unlink()
        while True:
            pass


@app.before_request
def _before() -> None:
    _wedge("before")


@app.after_request
def _after(response: Response) -> Response:
    _wedge("after")
    return response
