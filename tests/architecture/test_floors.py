"""The rooms keep to their floors: who may import whom, and what only some places may name."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.rules.ruleset import rulesets

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "service" / "rules"
HTTP_MAY = ("service/api/", "service/cli/", "service/app.py", "wsgi.py")
NO_CLOCK_NO_NETWORK = {
    "asyncio", "datetime", "multiprocessing", "os", "secrets", "select", "signal", "socket",
    "subprocess", "tempfile", "threading", "time", "urllib", "http",
}  # fmt: skip


def _sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "__pycache__" not in path.parts)


def _ours() -> list[Path]:
    return [*_sources("service", "schemas", "workers"), *ROOT.glob("wsgi.py")]


def _imported(path: Path) -> Iterator[str]:
    """Yields the absolute name of every module that a file imports, at any depth."""
    package = list(path.relative_to(ROOT).with_suffix("").parts[:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.integration
def test_the_import_contracts_hold() -> None:
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_law_imports_the_standard_library_only() -> None:
    for path in _sources("service/rules"):
        for name in _imported(path):
            top = name.split(".")[0]
            assert name.startswith("service.rules") or top in sys.stdlib_module_names, _short(path)
            assert top not in NO_CLOCK_NO_NETWORK, f"{_short(path)} imports {name}"


def test_no_ruleset_knows_another() -> None:
    for own in rulesets():
        for path in _sources(f"service/rules/{own}"):
            others = [f"service.rules.{other}" for other in rulesets() if other != own]
            assert not [name for name in _imported(path) if name.startswith(tuple(others))]


def test_only_the_edge_imports_http() -> None:
    for path in _ours():
        if not _short(path).startswith(HTTP_MAY):
            assert not [name for name in _imported(path) if name.startswith("service.api")]
            assert "flask" not in set(_imported(path)), _short(path)


def test_there_are_no_floats_in_the_law() -> None:
    for path in _sources("service/rules"):
        for node in ast.walk(ast.parse(path.read_text())):
            where = f"{_short(path)}:{getattr(node, 'lineno', 0)}"
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), where
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            assert not (called and node.func.id == "float"), where


@pytest.mark.integration
def test_the_law_runs_where_nothing_else_is_installed() -> None:
    script = """
        import sys

        class Blocker:
            def find_spec(self, name, path=None, target=None):
                top = name.split(".")[0]
                ours = name == "service" or name.startswith("service.rules")
                if not ours and top not in sys.stdlib_module_names:
                    raise ImportError(f"{name} is blocked")

        sys.meta_path.insert(0, Blocker())
        from service.rules.chance import SealedChance
        from service.rules.ruleset import rulesets, start

        for ruleset in rulesets().values():
            chance = SealedChance(bytes(32), "alone")
            state, outcome = start(ruleset, ruleset.seats[0], ruleset.options(), chance)
            assert outcome.stopped is None and ruleset.to_act(state)
        blocked = ("flask", "redis", "orjson", "rq", "marshmallow", "gevent", "structlog")
        assert not [name for name in blocked if name in sys.modules]
        print(*rulesets())
    """
    done = subprocess.run(
        [sys.executable, "-S", "-c", textwrap.dedent(script)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(rulesets())


@pytest.mark.parametrize("name", rulesets())
def test_a_ruleset_is_named_in_its_own_places_only(name: str) -> None:
    own = (f"service/rules/{name}/", f"service/render/{name}", f"workers/bots/{name}")
    word = re.compile(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", re.IGNORECASE)
    for path in _ours():
        if not _short(path).startswith(own):
            found = word.search(path.read_text())
            assert found is None, f"{_short(path)} names {name}"


@pytest.mark.parametrize("name", rulesets())
def test_a_package_brings_one_ruleset(name: str) -> None:
    assert (RULES / name / "__init__.py").is_file()
    assert [path.name for path in (ROOT / "tests" / "rules" / name).glob("test_*.py")]
    assert (ROOT / "docs" / "rules" / f"{name}.md").is_file()


def test_exported_names_exist() -> None:
    for path in _ours():
        tree = ast.parse(path.read_text())
        exported = [
            element.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            )
            and isinstance(node.value, ast.List | ast.Tuple)
            for element in node.value.elts
            if isinstance(element, ast.Constant)
        ]
        known = set(_top_names(tree))
        assert set(exported) <= known, _short(path)
        assert len(set(exported)) == len(exported), _short(path)


def _top_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        match node:
            case (
                ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name for alias in names)
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def test_every_module_says_what_it_is_for() -> None:
    for path in _ours():
        tree = ast.parse(path.read_text())
        assert not tree.body or ast.get_docstring(tree), _short(path)
