# make demo    put metrics and systems of the bundled test set on trial
# make test    run every test, with compiled kernels and then with plain ones
# make test-browser   run the tests of the report in Chromium
# make lint    check format, style and types
# make bench   measure speed and memory against other tools
# make docs    refresh what the documentation has from the code, and build its site
# make site    build the site alone
# make study   run the studies of docs/orange.md, docs/references.md, docs/combining.md and docs/tuning.md again, and refresh their tables
# make calibration   simulate how often tests and verdicts err (an hour), and refresh docs/calibration.md
# make sanitize   run the kernel tests with checked memory accesses
# make fuzz    try a million inputs on all readers (half an hour)
# make kills   kill a process that writes to a store two hundred times, and look at the store; then drivers, workers and schedulers of a cluster
# make soak    an hour of n-best lists: memory must stay what it is
# Each makes its own virtual environment and installs what it needs.

PYTHON ?= python3
VENV := .venv
PLAIN := .venv-plain
SANITIZED := .venv-sanitized
SITE := build/docs
# Also for the build environments, so that today's green is tomorrow's green.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BUILD := pyproject.toml setup.py constraints.txt $(wildcard src/tarocco/kernels/*.py src/tarocco/kernels/*.pxd)
SOURCES := $(shell find src examples -name '*.py' -o -name '*.toml' -o -name '*.txt' | grep -v egg-info)
PLUGIN := examples/tarocco-overlap
WORKERS := -n auto --dist worksteal  # a process a processor

.PHONY: demo test test-compiled test-plain test-browser screenshots lint bench kills fuzz soak sanitize docs site study calibration clean

demo: $(VENV)/.plots
	@$(VENV)/bin/tarocco demo

test: test-compiled test-plain

test-compiled: $(VENV)/.test
	$(VENV)/bin/python -m pytest $(WORKERS) tests --ignore tests/browser

# Debian's Chromium, driven by Playwright, which downloads no browser of its own. Where there is none, tests say so.
test-browser: $(VENV)/.browser
	$(VENV)/bin/python -m pytest tests/browser

# Pictures of the demo's report, for the documentation.
screenshots: $(VENV)/.browser
	$(VENV)/bin/python tools/make_screenshots.py

# The same kernel sources, run as plain Python from an installation of their own.
test-plain: $(PLAIN)/.installed
	TAROCCO_EXPECT_COMPILED=0 $(PLAIN)/bin/python -m pytest $(WORKERS) tests/kernels tests/golden tests/test_laws.py

lint: $(VENV)/.lint
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

# An ordinary installation is compiled to bytecode by pip; this one is told to.
bench: $(VENV)/.bench
	$(VENV)/bin/python -m compileall -q src bench
	$(VENV)/bin/python bench/run.py

kills: $(VENV)/.test
	$(VENV)/bin/python tests/store_kills.py 200
	$(VENV)/bin/python tests/cluster_kills.py 200 100 100

soak: $(VENV)/.bench
	$(VENV)/bin/python bench/soak.py --minutes 60

# What breaks something is kept in build/fuzz.
fuzz: $(VENV)/.test
	$(VENV)/bin/python tests/fuzz/run.py --inputs $(or $(INPUTS),17000)

# Kernels that check every memory access; Python itself is not compiled that way, so gcc's libraries are loaded first.
sanitize: $(VENV)/.test
	$(PYTHON) -m venv --clear $(SANITIZED)
	rm -rf build/sanitized && mkdir -p build/sanitized  # a copy, so that nothing compiled otherwise is taken
	cp -r pyproject.toml setup.py README.md LICENSE src build/sanitized && rm -f build/sanitized/src/tarocco/kernels/*.so
	TAROCCO_SANITIZE=1 TAROCCO_REQUIRE_COMPILE=1 $(SANITIZED)/bin/python -m pip install -q ./build/sanitized pytest hypothesis scipy
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc TAROCCO_EXAMPLES=40 \
		$(SANITIZED)/bin/python -m pytest tests/kernels --deselect tests/kernels/test_build.py

# What is made from the code, and the outputs of all examples; then the site, and what was run.
docs: $(VENV)/.test $(VENV)/.docs
	$(VENV)/bin/python tools/make_pages.py
	$(VENV)/bin/python tools/console_blocks.py README.md docs/*.md
	@$(MAKE) --no-print-directory site
	@$(VENV)/bin/python tools/executed_blocks.py --count

# The pages as they are, without a network: a link that leads nowhere is an error.
site: $(VENV)/.docs
	@rm -rf $(SITE)
	$(VENV)/bin/python -m sphinx -W --keep-going -n -q -E docs $(SITE)
	$(VENV)/bin/python tools/check_site.py $(SITE)
	@echo "$(SITE)/index.html"

# Several minutes, and more than 1 GB of temporary lists.
study: $(VENV)/.bench $(VENV)/.docs
	$(VENV)/bin/python tools/orange_study.py
	$(VENV)/bin/python tools/reference_study.py
	$(VENV)/bin/python tools/combining_study.py
	$(VENV)/bin/python tools/tuning_study.py

# About an hour: every simulation of docs/calibration.md.
calibration: $(VENV)/.bench
	OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python tools/calibrate.py

clean:
	rm -rf $(VENV) $(PLAIN) $(SANITIZED) build dist src/*.egg-info src/tarocco/kernels/*.so

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "tarocco needs Python 3.11 or newer; name one with make PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
		|| { echo "this Python cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(BUILD)
	@echo "installing into $(VENV): two or three minutes, most of it for the C compiler"
	$(VENV)/bin/python -m pip install -q -e .
	@touch $@

# Extras are installed by their names, so that tarocco is not compiled once more for each of them.
extra = $(VENV)/bin/python tools/extra.py $(1) | xargs -d '\n' $(VENV)/bin/python -m pip install -q

$(VENV)/.test: $(VENV)/.installed $(PLUGIN)/pyproject.toml
	$(call extra,test)
	$(VENV)/bin/python -m pip install -q --no-deps $(PLUGIN)
	@touch $@

$(VENV)/.bench: $(VENV)/.test
	$(call extra,bench)
	@touch $@

$(VENV)/.plots: $(VENV)/.installed
	$(call extra,plots)
	@touch $@

$(VENV)/.browser: $(VENV)/.test
	$(call extra,browser)
	@command -v chromium >/dev/null || test -n "$$CHROMIUM" || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation; }
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(call extra,docs)
	@touch $@

$(VENV)/.lint: $(VENV)/.installed
	$(call extra,lint)
	@touch $@

$(PLAIN)/.installed: $(VENV)/bin/python $(SOURCES) $(BUILD)
	$(PYTHON) -m venv --clear $(PLAIN)
	TAROCCO_NO_COMPILE=1 TAROCCO_REQUIRE_COMPILE=0 $(PLAIN)/bin/python -m pip install -q . pytest pytest-xdist hypothesis
	@touch $@
