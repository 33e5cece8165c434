# glossbot from a checkout. Every target sets up .venv first (scripts/setup: at once when nothing changed).
# Nothing is written but under .venv, index and models.

BIN := .venv/bin
GPU ?=
PYTHON ?=
ARGS ?=
export GPU PYTHON
# The test tools' own caches and downloads: in .venv, or none. The rest is said in pyproject.toml.
export HYPOTHESIS_STORAGE_DIRECTORY := $(CURDIR)/.venv/cache/hypothesis
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD := 1

LINT = $(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && \
	$(BIN)/lint-imports --no-logo --cache-dir .venv/cache/import-linter

.DEFAULT_GOAL := help
.PHONY: help chat test quick soak clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "GPU=cuda|metal|vulkan  build llama.cpp for a GPU (remembered; GPU=cpu goes back)"
	@echo "PYTHON=python3.12      the Python to make .venv with (3.11 or newer)"
	@echo "ARGS='--port 8000'     what to hand to glossbot chat or pytest"

chat:  ## set up, fetch the models, build the index, start the chat
	@scripts/setup && $(BIN)/glossbot models pull && $(BIN)/glossbot index && exec $(BIN)/glossbot chat $(ARGS)

test:  ## set up, fetch the models, check style, types and imports, run the tests (<= 25 min)
	@scripts/setup test && $(BIN)/glossbot models pull
	@$(LINT)
	@$(BIN)/pytest -m "not soak" $(ARGS)

quick:  ## the checks and the tests that need neither models nor a browser (<= 2 min)
	@scripts/setup test
	@$(LINT)
	@$(BIN)/pytest -m "not models and not browser and not soak" --hypothesis-profile=quick $(ARGS)

# pytest ends with 5 where it finds no test, so an empty tier fails here.
soak:  ## the long runs: load, kill, scale
	@scripts/setup test && $(BIN)/glossbot models pull
	@$(BIN)/pytest -m soak $(ARGS)

clean:  ## remove .venv, the index and the fetched models
	rm -rf .venv
	find index models -mindepth 1 -maxdepth 1 ! -name README.md ! -name manifest.toml -exec rm -rf {} +
