# Everything a newcomer needs: `make demo` shows Griot, `make test` proves it. Both set up themselves.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV_VERSION := 0.13.8
PROCESSORS := $(shell getconf _NPROCESSORS_ONLN)
# Tests wait for other processes, and for the clock; each tester takes 600 MB.
TESTERS := $(shell echo $$(( 4 * $(PROCESSORS) < 12 ? 4 * $(PROCESSORS) : 12 )))
# Those that kill start several processes each, and hold them to times.
KILLERS := $(shell echo $$(( 3 * $(PROCESSORS) )))
# Byte code is kept: tests start hundreds of processes, and each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test test-all soak lint bench gallery moving-picture settings format lock audit wheel browser sandbox

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Griot needs Python 3.11 or newer; name it with: make PYTHON=python3.12 …"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
		|| { echo "Python has no venv module here; on Debian: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

demo: setup
	@$(BIN)/griot demo

test: setup browser sandbox
	@# Compiles each test once, instead of once in each of those that run them.
	@test -d tests/__pycache__ \
		|| $(BIN)/python -m pytest tests --collect-only -qq > /dev/null 2>&1 || true
	@$(BIN)/python -m pytest tests -n $(TESTERS) --dist worksteal -m "not chaos" $(ARGS)
	@$(BIN)/python -m pytest tests/chaos tests/flows -n $(KILLERS) --dist worksteal -m "chaos and not soak" $(ARGS)

# The same with all cases of the large corpora, of which `test` draws some at random.
test-all: export GRIOT_TEST_ALL = 1
test-all: test

# A thousand kills on SQLite, two hundred on PostgreSQL: half an hour.
soak: setup
	@$(BIN)/python -m pytest tests/chaos -n 2 -m soak -s $(ARGS)

lint: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/lint-imports --no-cache

format: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: setup
	@$(BIN)/python -m bench $(ARGS)

# One document of each kind, and what it looks like; then these and hostile ones in LibreOffice.
gallery: setup
	@$(BIN)/python docs/gallery/make.py
	@$(BIN)/python docs/gallery/check.py

# The film of the demo at the top of README.md, in English and in French.
moving-picture: setup browser
	@$(BIN)/python docs/pictures/make_moving.py --language en
	@$(BIN)/python docs/pictures/make_moving.py --language fr

# .env.example and docs/settings.md, from the docstrings of the settings.
settings: setup
	@$(BIN)/python -c 'from bot.settings.reference import main; main()'

# One file to install anywhere, in dist/: `pip install dist/griot-*.whl`.
wheel: setup
	@$(BIN)/uv build --wheel --quiet --python $(BIN)/python --no-build-isolation --offline \
		--out-dir dist
	@ls dist/griot-*.whl

# Known vulnerabilities of what runs; it asks the internet, so nothing else calls it.
audit: setup
	@$(BIN)/uv tool run pip-audit --require-hashes --disable-pip -r requirements-runtime.lock

# The browser tests drive the system's Chromium, best the one that has no windows.
browser:
	@command -v chromium-headless-shell >/dev/null \
		|| { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
			&& apt-get update -qq && apt-get install -y -qq chromium-headless-shell >/dev/null; } \
		|| command -v chromium chromium-browser google-chrome >/dev/null \
		|| { echo "The browser tests need Chromium: install it with your system's packages"; exit 1; }

# The sandbox of bash_execute.
sandbox:
	@command -v bwrap >/dev/null \
		|| { command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] \
			&& apt-get update -qq && apt-get install -y -qq bubblewrap >/dev/null; } \
		|| { echo "bash_execute needs bubblewrap: install it with your system's packages"; exit 1; }

# The lock: exact versions with hashes for every platform, without addresses.
lock: setup
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 pyproject.toml --group dev -o requirements.lock
	@$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate \
		--python-version 3.11 pyproject.toml -o requirements-runtime.lock
