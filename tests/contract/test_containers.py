"""Dockerfile and compose.yaml: true to what `bailli up` starts, and able to play a game."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import yaml

from service.cli.local_service import LocalService
from service.config import Settings, next_database_url
from service.store.embedded import EmbeddedServer, free_port
from tests.api.http_client import RULESET, SEATS

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    return loaded


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def shortened(command: list[str]) -> list[str]:
    """A part's command as one types it: programs by name, files by name."""
    words = [Path(word).name if "/" in word else word for word in command]
    words = [word for word in words if not word.startswith("python")]
    if words[:2] == ["-m", "service.cli"]:
        return ["bailli", *words[2:]]
    del words[words.index("--chdir") : words.index("--chdir") + 2]
    return words[1:]


def test_compose_starts_what_the_supervisor_starts() -> None:
    service = LocalService.__new__(LocalService)
    service.settings, service.redis_url = Settings(), "redis://redis:6379/0"
    started = sorted(shortened(list(part.command)) for part in service._processes())
    parts = {name: each for name, each in compose().items() if name != "redis"}
    assert sorted(each["command"] for each in parts.values()) == started
    for part in parts.values():
        assert part["environment"]["QUEUE_URL"] == next_database_url(
            part["environment"]["REDIS_URL"]
        )
        Settings.from_environment(part["environment"])


def test_the_compose_server_is_fit_to_keep_games() -> None:
    words = compose()["redis"]["command"]
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert options == {
        "--appendonly": "yes",
        "--appendfsync": "always",
        "--maxmemory-policy": "noeviction",
    }


def test_the_image_is_slim_unprivileged_and_tells_its_health() -> None:
    found = instructions()
    assert all("slim" in rest for word, rest in found if word == "FROM")
    (user,) = [rest for word, rest in found if word == "USER"]
    assert user not in ("root", "0")
    assert [word for word, _ in found if word == "HEALTHCHECK"]
    assert found[-1] == ("CMD", '["bailli", "up"]')
    for word, rest in found:
        if word == "COPY" and "--from" not in rest:
            for name in rest.split()[:-1]:
                assert (ROOT / name).exists(), name
    environment = dict(
        pair.split("=", 1) for word, rest in found if word == "ENV" for pair in rest.split()
    )
    assert Settings.from_environment(environment).host == "0.0.0.0"  # noqa: S104


def test_the_commands_of_the_parts_play_a_game(tmp_path: Path) -> None:
    port = free_port()
    with EmbeddedServer(tmp_path / "redis") as server:
        processes = []
        try:
            for name, part in compose().items():
                if name == "redis":
                    continue
                env = {
                    **os.environ,
                    **part["environment"],
                    "REDIS_URL": server.url,
                    "QUEUE_URL": next_database_url(server.url),
                    "BAILLI_DATA": str(tmp_path),
                    "HOST": "127.0.0.1",
                    "PORT": str(port),
                }
                program, *rest = part["command"]
                processes.append(subprocess.Popen([str(BIN / program), *rest], env=env, cwd=ROOT))
            assert _played(f"http://127.0.0.1:{port}") == "finished"
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(20)


def _played(url: str) -> str:
    status = ""
    limit = time.monotonic() + 60
    with httpx.Client(base_url=url) as client:
        path = ""
        while status != "finished" and time.monotonic() < limit:
            try:
                if not path:
                    seats = [{"kind": "bot", "level": "random"}] * SEATS
                    made = client.post("/v1/games", json={"ruleset": RULESET.id, "seats": seats})
                    path = made.json()["game"]["links"]["self"]
                status = client.get(path).json()["status"]
            except httpx.TransportError:
                pass
            time.sleep(0.1)
    return status
