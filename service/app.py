"""The application: settings and a store in, a Flask application out."""

from __future__ import annotations

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from .api import web_app
from .api.docs import openapi, pages
from .api.http import error_handlers, languages, services
from .api.http.response_headers import ResponseHeaders
from .api.live import broker
from .config import Settings, SettingsError
from .store import Store
from .store.redis_store import open_store


def create_app(settings: Settings | None = None, store: Store | None = None) -> Flask:
    """Returns the application. Settings come from the environment, the store from REDIS_URL,

    where they are not given. Raises `SettingsError`; connects to nothing yet.
    """
    settings = settings or Settings.from_environment()
    if store is None:
        if settings.redis_url is None:
            raise SettingsError("REDIS_URL is not set; `bailli up` starts a server of its own")
        store = open_store(settings.redis_url, acks=settings.acks)
    app = Flask("service", static_folder=None)
    app.debug = False  # whatever FLASK_DEBUG says
    install(app, settings, store)
    if settings.proxies:
        hops = settings.proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops
        )
    languages.register_languages(app)
    error_handlers.register_error_handlers(app)
    openapi.register_resources(app)
    pages.register_pages(app)
    web_app.register(app)
    app.wsgi_app = ResponseHeaders(app.wsgi_app)  # type: ignore[assignment, method-assign]
    return app


def install(app: Flask, settings: Settings, store: Store) -> None:
    """Lets an application work on a store, in place of the one it worked on.

    `proxies` and `redis_url` count at the creation only.
    """
    # One more than is taken: of a body without a length werkzeug reads so much and stops.
    app.config["MAX_CONTENT_LENGTH"] = settings.body_bytes + 1
    built = services.build_services(settings, store)
    app.extensions[services.EXTENSION] = built
    app.extensions[broker.EXTENSION] = broker.Broker(
        store,
        built.repository,
        settings.streams,
        settings.heartbeat_s,
        settings.streams_per_client,
    )
