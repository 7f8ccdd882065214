# Every target sets up what it needs in .venv; the machine needs only python3 (3.11 or newer) and make.
#
# One stamp file for each set of dependencies: `make demo` installs the core ones and nothing more. A stamp is older than
# pyproject.toml only when the dependencies may have changed; pip then adds what is missing and upgrades nothing else.
# --no-compile: Python compiles the few modules it imports; compiling all of them took 25 s of CPU instead of 14 s.

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check -qq
# Two processes; tests that need the same kernels run in the same one, in the order of tests/conftest.py.
TEST_OPTIONS := -n 2 --dist loadgroup --no-loadscope-reorder
# Many tests start processes. Where the environment forbids to write bytecode, each of them would compile Numba and all
# else that it imports: a command took 2.2 s of CPU instead of 0.8. The empty value allows it.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest

.PHONY: help demo test test-all racecheck intel browser-test newer newer-all lowest bench lint docs coverage clean
.NOTPARALLEL:

help:
	@echo "make demo      solve a generated road network and print the figures"
	@echo "make test      run the tests, on two cores"
	@echo "make test-all  run these, the thorough ones (CUDA kernels for every generation of GPUs), and make intel"
	@echo "make racecheck look for races in the GPU kernels; needs oclgrind, and g++ with its sanitizers"
	@echo "make intel     run the GPU methods on Intel's OpenCL runtime, from PyPI (700 MB)"
	@echo "make browser-test  click through the explorer in Debian's Chromium, and in JupyterLab"
	@echo "make newer     run tests, and the suites of NetworkX and SciPy, on the newer Pythons that there are; newer-all: all tests"
	@echo "make lowest    run tests with the lowest versions of everything that pyproject.toml allows"
	@echo "make lint      check style, types and who imports whom"
	@echo "make docs      run the guides, build the site in build/docs, and check its links; needs no network"
	@echo "make coverage  run the tests without the JIT and report the lines they miss"
	@echo "make bench     verify, time against other libraries, write docs/benchmarks.md, docs/gpu.md and docs/prepared.md"
	@echo "make clean     remove the environment and everything else that was made"

demo: $(VENV)/core.stamp
	@$(PY) -m nearfar.demo

test: $(VENV)/test.stamp
	@$(PY) tests/runtime.py
	$(PYTEST) $(TEST_OPTIONS)

test-all: $(VENV)/test.stamp
	@$(PY) tests/runtime.py
	$(PYTEST) $(TEST_OPTIONS) -m "thorough or not thorough"
	@$(PY) tests/intel.py --thorough

racecheck: $(VENV)/test.stamp
	@$(PY) tests/racecheck/run.py

intel: $(VENV)/test.stamp
	@$(PY) tests/intel.py

newer: $(VENV)/test.stamp
	@$(PY) tests/newer.py

newer-all: $(VENV)/test.stamp
	@$(PY) tests/newer.py --all

browser-test: $(VENV)/browser.stamp
	@$(PY) tests/chromium.py

lowest: $(VENV)/test.stamp
	@$(PY) tests/lowest.py

lint: $(VENV)/test.stamp
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports

docs: $(VENV)/docs.stamp
	@rm -rf docs/reference/api # pages of names that are gone
	$(PY) -m sphinx -W --keep-going -q -b html -d build/doctrees docs build/docs
	@$(PY) docs/making/links.py build/docs
	@echo "The site: build/docs/index.html"

coverage: $(VENV)/test.stamp
	@$(PY) tests/runtime.py
	NUMBA_DISABLE_JIT=1 $(PYTEST) --cov --cov-report=term-missing:skip-covered

bench: $(VENV)/bench.stamp
	$(PY) bench/front.py --write
	$(PY) bench/run.py
	$(PY) bench/gpu.py --write
	$(PY) bench/model.py --write
	$(PY) bench/prepared.py --write
	$(PY) bench/metrics.py --write
	$(PY) bench/backend.py --write
	$(PY) bench/csgraph.py --write
	$(PY) bench/doors.py --write
	$(PY) bench/stores.py --write
	$(PY) bench/disk.py --write
	$(PY) bench/explorer.py --write

clean:
	rm -rf $(VENV) build dist docs/guides docs/reference/api .pytest_cache .ruff_cache .mypy_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "nearfar needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1 | head -n 1)." \
	       "Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot make virtual environments (on Debian and Ubuntu: apt install python3-venv)." >&2; \
	  rm -rf $(VENV); exit 1; }
	@touch $@

$(VENV)/core.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing nearfar and its core dependencies ..."
	@$(PIP) install --no-compile -e .
	@touch $@

$(VENV)/test.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing nearfar and what its tests need ..."
	@$(PIP) install "pip>=25.1" # older ones know no --group
	@$(PIP) install --no-compile -e ".[all]" --group test --group lint
	@touch $(VENV)/core.stamp $@

$(VENV)/docs.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing nearfar and what its site needs ..."
	@$(PIP) install "pip>=25.1"
	@$(PIP) install --no-compile -e ".[cluster,formats,geo,networkx,plot,store]" --group docs # the reference imports all modules
	@touch $(VENV)/core.stamp $@

$(VENV)/browser.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing nearfar and what drives a browser ..."
	@$(PIP) install "pip>=25.1"
	@$(PIP) install --no-compile -e ".[all]" --group test --group lint --group browser
	@touch $(VENV)/core.stamp $(VENV)/test.stamp $@

$(VENV)/bench.stamp: pyproject.toml | $(VENV)/python.stamp
	@echo "Installing nearfar and the libraries it is measured against ..."
	@$(PIP) install "pip>=25.1"
	@$(PIP) install --no-compile -e . --group bench
	@touch $(VENV)/core.stamp $@
