# Everything needs only Python 3.11+ and make; uv is used if it is there.

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
UV ?= $(shell command -v uv 2>/dev/null)
VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
GROUP = $(PY) -c "import tomllib; print('\n'.join(tomllib.load(open('pyproject.toml', 'rb'))['dependency-groups']['$(1)']))"
INSTALL = $(if $(UV),$(UV) pip install -q --python $(PY),$(PY) -m pip install -q --disable-pip-version-check)

.PHONY: help demo examples test adapters lint format bench clients faults fuzz mutants docs site requirements conformance clean

help:
	@echo "make demo          a small agent at work, and hooks at work on it, offline"
	@echo "make examples      events in sample projects of all dialects, and what was decided"
	@echo "make test          install what the tests need, then run all of them"
	@echo "make lint          ruff, mypy, and whether generated files are up to date"
	@echo "make bench         a report on speed, beside yardsticks and other hook systems, in one run"
	@echo "make adapters      the adapters' suite, each in its real SDK and an environment of its own"
	@echo "make clients       the real agents, fetched and run offline with hooks; about twenty minutes"
	@echo "make faults        the fault figures of the process runner"
	@echo "make fuzz          a million inputs for the answer parser"
	@echo "make mutants       mutation score of verdict, merge and plan"
	@echo "make docs          write the generated pages and schemas anew"
	@echo "make site          the documentation as a web site, in build/site"
	@echo "make requirements  each requirement with the tests that cite it"
	@echo "make format        format the code;  make clean  remove what was installed"

$(VENV)/ready: pyproject.toml hatch_build.py src/tenterhook/cli/server/native/tenter_client.c
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed"; exit 1; }
	$(if $(UV),$(UV) venv -q --allow-existing --python $(PYTHON) $(VENV),$(PYTHON) -m venv $(VENV))
	$(INSTALL) -e .
	@touch $@

$(VENV)/ready-%: $(VENV)/ready
	@$(call GROUP,$*) > $(VENV)/$*.txt
	$(INSTALL) -r $(VENV)/$*.txt
	@touch $@

# The program that one dialect comes from, for comparison; its dependencies would clash with ours, and are not needed.
$(VENV)/ready-peers: $(VENV)/ready
	$(INSTALL) --no-deps --target $(VENV)/peers amcp-agent==0.13.0
	@touch $@

demo: $(VENV)/ready
	@$(PY) scripts/demo.py

examples: $(VENV)/ready
	@$(PY) scripts/examples.py

# Most tests wait for processes that they started: two of them share a processor well.
test: $(VENV)/ready-dev $(VENV)/ready-peers $(VENV)/ready-site
	$(PY) -m pytest -n 4 --dist worksteal $(TESTS)

adapters: $(VENV)/ready
	$(PY) scripts/adapters.py $(ADAPTERS)

lint: $(VENV)/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(PY) scripts/generate.py --check
	$(PY) scripts/requirements.py --check

format: $(VENV)/ready-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/ready-bench
	$(PY) benchmarks/bench.py

clients: $(VENV)/ready-dev
	$(PY) scripts/real_clients.py

faults: $(VENV)/ready
	$(PY) benchmarks/faults.py

fuzz: $(VENV)/ready-dev
	$(PY) benchmarks/fuzz.py

mutants: $(VENV)/ready-dev
	$(PY) scripts/mutants.py

docs: $(VENV)/ready
	$(PY) scripts/generate.py
	$(PY) scripts/terminal_picture.py

site: $(VENV)/ready-site
	$(PY) scripts/site.py

requirements: $(VENV)/ready
	$(PY) scripts/requirements.py

conformance: $(VENV)/ready
	TENTER=$(BIN)/tenter ../shared/conformance/run

clean:
	rm -rf .venv .venv-* .bench .pytest_cache .mypy_cache .ruff_cache .hypothesis build mutants dist
