"""The configuration of gunicorn: gevent workers that share a port and a folder of metrics."""

import gc
import os
import resource
from pathlib import Path

from gevent import monkey

monkey.patch_all()  # before anything imports redis

from service import logs  # noqa: E402
from service.config import Settings  # noqa: E402

_settings = Settings.from_environment()
logs.configure(_settings.log)

bind = f"{f'[{_settings.host}]' if ':' in _settings.host else _settings.host}:{_settings.port}"
workers = _settings.web_workers
worker_class = "gevent"
worker_connections = 1_000 + _settings.streams
preload_app = False
control_socket_disable = True
graceful_timeout = 5
timeout = 30
keepalive = 75
limit_request_line = 8_190
limit_request_fields = 64
accesslog = None
errorlog = "-"
loglevel = "warning"
forwarded_allow_ips = "*" if _settings.proxies else ""

# Each connection is an open file, and many systems allow a process about a thousand at first.
_files, _max_files = resource.getrlimit(resource.RLIMIT_NOFILE)
_wanted = worker_connections + 200
if _files < _wanted:
    _wanted = _wanted if _max_files == resource.RLIM_INFINITY else min(_wanted, _max_files)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_wanted, _max_files))

_metrics = _settings.metrics or _settings.data / "metrics"
os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(_metrics.resolve())


def on_starting(server):
    """Removes the counters of processes that are no more: each start counts from zero.

    Workers of jobs that live on may have theirs in the same folder.
    """
    logs.replace_handlers(server.log.error_log)
    Path(_metrics).mkdir(parents=True, exist_ok=True)
    for path in Path(_metrics).glob("*_*.db"):
        try:
            os.kill(int(path.stem.rpartition("_")[2]), 0)
        except (ProcessLookupError, ValueError):
            path.unlink(missing_ok=True)
        except PermissionError:  # somebody else's process
            pass


def post_worker_init(worker):
    """Lets streams end with the worker; keeps what lives as long out of the collector's way."""
    from service.api.live import draining  # noqa: PLC0415

    draining.drain_when(lambda: not worker.alive)
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def worker_abort(worker):
    """Ends a worker that the time-out found wedged, at once: its connections are cut.

    Left to gunicorn it would go on for a while, and tell those who wait for an answer 500.
    """
    os._exit(1)


def child_exit(server, worker):
    """Keeps a dead worker's counters and lets go of its gauges."""
    from prometheus_client.multiprocess import mark_process_dead  # noqa: PLC0415

    mark_process_dead(worker.pid)
