# Every target sets up what it needs; a fresh machine has to bring only Python 3.11 or newer, and make.
# A compiler is optional: without one the page tokenizer runs in Python, slower but with the same results.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
DATA ?=
ARGS ?=
# Test processes; tests wait for servers much of the time, so one more than cores.
JOBS ?= 3

# Debian keeps servers such as nginx where only root looks for them.
export PATH := $(PATH):/usr/sbin:/sbin

.PHONY: help install demo extension test lint format bench soak reference screenshots constraints system clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

install: $(READY)  ## Make an environment with everything in .venv

# The stamp is younger than what it was made from; a second run has nothing to do.
$(READY): pyproject.toml setup.py constraints.txt $(wildcard fieldmouse/*/*.c)
	@scripts/make-venv "$(PYTHON)" "$(VENV)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: $(READY)  ## Crawl the bundled small web, on loopback
	@$(BIN)/fieldmouse demo $(ARGS)

extension: $(READY)  ## Pack the browser extension into dist/
	@$(BIN)/python -m scripts.pack_extension dist

test: $(READY) system  ## Run the tests, but for the slow ones
	@$(BIN)/python -m pytest -p no:cacheprovider -o faulthandler_timeout=120 -m "not slow" -n $(JOBS) --dist worksteal $(ARGS)

soak: $(READY) system  ## Run the tests that take minutes
	@HYPOTHESIS_PROFILE=soak $(BIN)/python -m pytest -p no:cacheprovider -m slow $(ARGS)

lint: $(READY)  ## Check style, types and the import contract
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

format: $(READY)  ## Put the code in shape
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(READY)  ## Measure speed and size; DATA=folder for more data
	@$(BIN)/python -m bench $(if $(DATA),--data "$(DATA)") $(ARGS)

reference: $(READY)  ## Write the generated pages of docs/reference
	@$(BIN)/python -m scripts.make_reference

screenshots: $(READY) system  ## Take the pictures of docs/screenshots
	@$(BIN)/python -m scripts.make_screenshots

constraints: $(READY)  ## Pin what is installed in .venv now
	@scripts/make-constraints "$(BIN)/python" constraints.txt

# Servers that tests run for real. Nothing fails without them: their tests are skipped, and say so.
system:
	@scripts/system-parts

clean:  ## Remove everything that a target made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -f fieldmouse/*/*.so
