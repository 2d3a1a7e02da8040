"""The WSGI application."""

from service.app import create_app

app = create_app()
