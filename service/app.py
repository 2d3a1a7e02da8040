"""Application factory: builds the Flask application from settings and a store."""

from __future__ import annotations

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from .api.docs import openapi, pages
from .api.http import error_handlers, services, translations
from .api.http.response_headers import ResponseHeaders
from .api.live import broker
from .api.resources import web_app
from .config import Settings, SettingsError
from .store import Store
from .store.redis_store import open_store


def create_app(settings: Settings | None = None, store: Store | None = None) -> Flask:
    """Returns the application. By default settings come from the environment, the store from

    REDIS_URL. Raises `SettingsError`; connects to nothing yet.
    """
    settings = settings or Settings.from_environment()
    if store is None:
        if settings.redis_url is None:
            raise SettingsError("REDIS_URL is not set; `bailli up` starts a server of its own")
        store = open_store(settings.redis_url, acks=settings.acks)
    app = Flask("service", static_folder=None)
    app.debug = False  # even if FLASK_DEBUG is set
    install_services(app, settings, store)
    if settings.proxies:
        hops = settings.proxies
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops
        )
    translations.register_translations(app)
    error_handlers.register_error_handlers(app)
    openapi.register_resources(app)
    pages.register_pages(app)
    web_app.register_web_app(app)
    app.wsgi_app = ResponseHeaders(app.wsgi_app)  # type: ignore[assignment, method-assign]
    return app


def install_services(app: Flask, settings: Settings, store: Store) -> None:
    """Builds the services and the broker of an application on a store, replacing earlier ones.

    Later changes of `proxies` and `redis_url` have no effect.
    """
    # One more than is accepted: werkzeug stops reading a body without a length there.
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
