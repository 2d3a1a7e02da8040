"""deploy/kubernetes: valid by Kubernetes' own schemas, and true to what the parts need."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from service.cli.local_service import LocalService
from service.config import Settings
from service.store.startup_checks import check_info
from tests.contract.test_containers import shortened
from workers.queues import FAST, SLOW, TIMEOUTS
from workers.worker import DELIVERY_GRACE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
FILES = sorted(FOLDER.rglob("*.yaml"))
VERSIONS = ("1.29", "1.33", "1.37")
POD_KINDS = ("Deployment", "StatefulSet")


LOADED = [(path, list(yaml.load_all(path.read_text(), yaml.CSafeLoader))) for path in FILES]


def documents() -> Iterator[tuple[Path, dict[str, Any]]]:
    """All manifests, with the files that they are in."""
    for path, there in LOADED:
        for document in there:
            yield path, document


def of_kind(*kinds: str) -> dict[str, dict[str, Any]]:
    """The manifests of these kinds, by name."""
    return {each["metadata"]["name"]: each for _, each in documents() if each["kind"] in kinds}


def pods() -> dict[str, dict[str, Any]]:
    """What runs: each part's name and its pod's specification."""
    return {name: each["spec"]["template"]["spec"] for name, each in of_kind(*POD_KINDS).items()}


def parts() -> dict[str, dict[str, Any]]:
    """Our own parts, and the only container of each."""
    return {name: pod["containers"][0] for name, pod in pods().items() if name != "redis"}


class Recording(dict[str, str]):
    """An environment that notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return default


def environment(name: str) -> dict[str, str]:
    """What a part finds in its environment."""
    found: dict[str, str] = {}
    for source in parts()[name]["envFrom"]:
        if "configMapRef" in source:
            found |= of_kind("ConfigMap")[source["configMapRef"]["name"]]["data"]
        else:
            found |= of_kind("Secret")[source["secretRef"]["name"]]["stringData"]
    return found | {each["name"]: each["value"] for each in parts()[name].get("env", ())}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_schemas_of_kubernetes_accept_all(version: str) -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="is not installed here")
    checked = 0
    for path, document in documents():
        try:
            validator.validate(document, version, strict=True)
        except validator.ValidationError as fault:
            pytest.fail(f"{path.name}: {document['kind']}: {list(fault.path)}: {fault.message}")
        checked += 1
    assert checked > 15
    broken = copy.deepcopy(of_kind("Deployment")["api"])
    broken["spec"]["template"]["spec"]["containers"][0]["readyProbe"] = {}
    with pytest.raises(validator.ValidationError):
        validator.validate(broken, version, strict=True)


def test_they_start_what_the_supervisor_starts() -> None:
    service = LocalService.__new__(LocalService)
    service.settings, service.redis_url = Settings(), "redis://redis:6379/0"
    started = sorted(shortened(list(part.command)) for part in service._processes())
    assert sorted(each["command"] for each in parts().values()) == started


@pytest.mark.parametrize("name", ["api", "relay", "fast-worker", "slow-worker"])
def test_variables_are_settings_and_fit(name: str) -> None:
    asking, given = Recording(), environment(name)
    Settings.from_environment(asking)
    assert given.keys() <= asking.asked
    found = Settings.from_environment(given)
    assert (found.host, found.port) == ("0.0.0.0", 8000)  # noqa: S104
    assert urlsplit(found.redis_url or "").hostname in of_kind("Service")
    assert found.queue_url != found.redis_url
    folders = [Path(mount["mountPath"]) for mount in parts()[name]["volumeMounts"]]
    for kept in (found.data, *([found.metrics] if found.metrics else [])):
        assert any(kept.is_relative_to(folder) for folder in folders), "nothing else is writable"
    assert Path("/tmp") in folders, "gunicorn's heartbeats"  # noqa: S108
    assert (found.metrics is not None) == (name == "api")


def test_everything_runs_with_the_least_it_needs() -> None:
    for name, pod in pods().items():
        assert pod["securityContext"]["runAsNonRoot"], name
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}
        assert "memory" in container["resources"]["limits"]
        assert not container["image"].endswith(":latest")
        assert ":" in container["image"]
    user = re.search(r"--uid (\d+)", (ROOT / "Dockerfile").read_text())
    assert user is not None
    assert {pods()[name]["securityContext"]["runAsUser"] for name in parts()} == {int(user[1])}


def test_names_lead_somewhere() -> None:
    """Selectors, ports, volumes and targets."""
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in _run()]
    wanted = [each["spec"]["selector"] for each in of_kind("Service").values()]
    wanted += [each["spec"]["selector"]["matchLabels"] for each in _run()]
    budgets = of_kind("PodDisruptionBudget").values()
    wanted += [each["spec"]["selector"]["matchLabels"] for each in budgets]
    policies = of_kind("NetworkPolicy").values()
    wanted += [each["spec"]["podSelector"].get("matchLabels", {}) for each in policies]
    for selector in wanted:
        assert any(selector.items() <= each.items() for each in labels), selector
    for pod in pods().values():
        (container,) = pod["containers"]
        claims = {"data"} if "volumes" in pod and "data" not in str(pod["volumes"]) else set()
        declared = {each["name"] for each in pod["volumes"]} | claims
        assert {each["name"] for each in container["volumeMounts"]} <= declared
    ports = {
        port["name"] for pod in pods().values() for port in pod["containers"][0].get("ports", ())
    }
    for each in of_kind("Service").values():
        assert {port["targetPort"] for port in each["spec"]["ports"]} <= ports
    for each in of_kind("HorizontalPodAutoscaler").values():
        assert each["spec"]["scaleTargetRef"]["name"] in of_kind("Deployment")
    for _, each in documents():
        if each["kind"] != "Namespace":
            assert each["metadata"]["namespace"] in of_kind("Namespace")


def test_probes_ask_what_is_meant_for_them_and_ends_are_waited_for() -> None:
    api = pods()["api"]
    (container,) = api["containers"]
    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert container["startupProbe"]["httpGet"]["path"] == "/livez"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    program, pause = container["lifecycle"]["preStop"]["exec"]["command"]
    assert program == "sleep"
    graceful = re.search(
        r"^graceful_timeout = (\d+)$", (ROOT / "gunicorn.conf.py").read_text(), re.M
    )
    assert graceful is not None
    assert api["terminationGracePeriodSeconds"] > int(pause) + int(graceful[1]) + 5
    for name, queue in (("fast-worker", FAST), ("slow-worker", SLOW)):
        longest = TIMEOUTS[queue] + DELIVERY_GRACE
        assert pods()[name]["terminationGracePeriodSeconds"] >= longest


def test_the_example_store_is_fit_to_keep_games() -> None:
    text = of_kind("Secret")["redis"]["stringData"]["redis.conf"]
    options = dict(line.split(" ", 1) for line in text.splitlines())
    assert options["appendonly"] == "yes"
    assert options["appendfsync"] == "always"
    policy = {"redis_version": "7.2.0", "maxmemory_policy": options["maxmemory-policy"]}
    assert check_info({**policy, "aof_enabled": 1}) == []
    for url in of_kind("Secret")["bailli"]["stringData"].values():
        assert urlsplit(url).password == options["requirepass"]


def _run() -> list[dict[str, Any]]:
    return list(of_kind(*POD_KINDS).values())
