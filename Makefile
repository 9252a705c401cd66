# Every developer verb. `make run` and `make test` need python3 (3.11 or later) and nothing else.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
RUN_STAMP := .venv/.ready-to-run
DEV_STAMP := .venv/.ready-to-develop
ARGS ?=

.PHONY: help setup run test test-unit test-spark test-server test-cli lint format docs bench lock clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 14

setup: $(RUN_STAMP)  ## everything that `make run` needs, once

$(RUN_STAMP): requirements.lock requirements-build.lock pyproject.toml scripts/bootstrap.py
	@$(PYTHON) scripts/bootstrap.py .venv
	@$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements-build.lock
	@$(BIN)/python -m pip install --require-hashes --no-deps --no-build-isolation -r requirements.lock
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/sqe-cli setup
	@touch $@

$(DEV_STAMP): $(RUN_STAMP) requirements-dev.lock
	@$(BIN)/python -m pip install --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

run: $(RUN_STAMP)  ## the embedded shell; ARGS='-e "SELECT 1"' runs one statement
	@$(BIN)/sqe-cli --embedded $(ARGS)

test: $(DEV_STAMP) lint test-unit test-spark test-server test-cli  ## all tests

test-unit: $(DEV_STAMP)  ## tests without a JVM
	$(BIN)/pytest -q tests/unit --timeout 60

test-spark: $(DEV_STAMP)  ## tests with one Spark engine in the test process
	$(BIN)/pytest -q tests/spark --maxfail 5

test-server: $(DEV_STAMP)  ## a whole server, its clients, and the servers around it
	$(BIN)/pytest -q tests/server --maxfail 5

test-cli: $(DEV_STAMP)  ## the installed commands, driven as a person would
	$(BIN)/pytest -q tests/cli --maxfail 5

lint: $(DEV_STAMP)  ## format, lint, types, layers, generated files
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-cache > .venv/layers.txt || { cat .venv/layers.txt; exit 1; }
	$(BIN)/python -m sqe.settings.reference --check .
	$(BIN)/python scripts/function_docs.py --check

format: $(DEV_STAMP)  ## format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(DEV_STAMP)  ## write the generated pages anew
	$(BIN)/python -m sqe.settings.reference --write .
	$(BIN)/python scripts/function_docs.py

bench: $(DEV_STAMP)  ## start-up and small statements beside DuckDB and plain PySpark
	$(BIN)/sqe-bench start $(ARGS)

lock: $(DEV_STAMP)  ## pin all packages anew
	$(BIN)/python scripts/lock_packages.py

clean:  ## forget the set-up of this checkout
	rm -rf .venv
