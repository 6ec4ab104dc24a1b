# make demo           evaluate the metrics and systems of the bundled test set
# make test           run all tests, first with compiled kernels, then with uncompiled ones
# make test-browser   run the tests of the HTML report in Chromium
# make screenshots    take the documentation's pictures of the HTML report
# make lint           check format, style and types
# make bench          measure speed and memory, and compare them with other tools
# make docs           regenerate the generated parts of the documentation, and build its site
# make site           build the site without regenerating anything
# make study          rerun the studies of docs/{orange,references,combining,tuning}.md and update their tables
# make calibration    simulate how often tests and verdicts err, and update docs/calibration.md (an hour)
# make sanitize       run the kernel tests with the address sanitizer
# make fuzz           feed a million random inputs to all readers (half an hour)
# make fuzz-guided    the same guided by coverage, readers and kernels (atheris; kernels run as plain Python)
# make faults         fail every read, write and allocation of the main commands in turn
# make growth         measure how time and memory grow with the size of the input
# make kills          kill processes that write to a store, and parts of a cluster, hundreds of times; then check the data
# make soak           stream n-best lists for an hour and check that memory does not grow
# Each target creates the virtual environment that it needs.

PYTHON ?= python3
VENV := .venv
PLAIN := .venv-plain
SANITIZED := .venv-sanitized
GUIDED := .venv-guided
SITE := build/docs
# Pin build dependencies too, so that results do not change from day to day.
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

BUILD := pyproject.toml setup.py constraints.txt $(wildcard src/tarocco/kernels/*.py src/tarocco/kernels/*.pxd)
SOURCES := $(shell find src examples -name '*.py' -o -name '*.toml' -o -name '*.txt' | grep -v egg-info)
PLUGIN := examples/tarocco-overlap
WORKERS := -n auto --dist worksteal  # one process per processor

.PHONY: faults fuzz-guided growth chromium demo test test-compiled test-plain test-browser screenshots lint bench kills fuzz soak sanitize docs site study calibration clean

demo: $(VENV)/.plots
	@$(VENV)/bin/tarocco demo

test: test-compiled test-plain

test-compiled: $(VENV)/.test
	$(VENV)/bin/python -m pytest $(WORKERS) tests --ignore tests/browser

# Playwright drives Debian's Chromium and downloads no browser. Without Chromium, the tests are skipped with a message.
test-browser: $(VENV)/.browser
	$(VENV)/bin/python -m pytest tests/browser

# Pictures of the demo's report for the documentation.
screenshots: $(VENV)/.browser
	$(VENV)/bin/python tools/make_screenshots.py

# The same kernel sources as plain Python, in a separate installation.
test-plain: $(PLAIN)/.installed
	TAROCCO_EXPECT_COMPILED=0 $(PLAIN)/bin/python -m pytest $(WORKERS) tests/kernels tests/golden tests/test_laws.py

lint: $(VENV)/.lint
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

# pip compiles an ordinary installation to bytecode, but not an editable one.
bench: $(VENV)/.bench
	$(VENV)/bin/python -m compileall -q src bench
	$(VENV)/bin/python bench/run.py

kills: $(VENV)/.test
	$(VENV)/bin/python tests/store_kills.py 200
	$(VENV)/bin/python tests/cluster_kills.py 200 100 100

soak: $(VENV)/.bench
	$(VENV)/bin/python bench/soak.py --minutes 60

# Inputs that break a reader are saved in build/fuzz.
fuzz: $(VENV)/.test
	$(VENV)/bin/python tests/fuzz/run.py --inputs $(or $(INPUTS),17000)

# atheris sees Python code only, so kernels are not compiled. Inputs that reach new code are kept in build/fuzz/corpus.
fuzz-guided: $(GUIDED)/.installed
	$(GUIDED)/bin/python tests/fuzz/run.py --engine atheris --inputs $(or $(INPUTS),2000) $(TARGETS)

faults: $(VENV)/.test
	$(VENV)/bin/python tests/faults/campaign.py

growth: $(VENV)/.bench
	$(VENV)/bin/python bench/growth.py

# Python itself is not built with the sanitizer, so gcc's libraries must be preloaded.
sanitize: $(VENV)/.test
	$(PYTHON) -m venv --clear $(SANITIZED)
	rm -rf build/sanitized && mkdir -p build/sanitized  # a copy, so that kernels compiled without the sanitizer are not reused
	cp -r pyproject.toml setup.py README.md LICENSE src build/sanitized && rm -f build/sanitized/src/tarocco/kernels/*.so
	TAROCCO_SANITIZE=1 TAROCCO_REQUIRE_COMPILE=1 $(SANITIZED)/bin/python -m pip install -q ./build/sanitized pytest hypothesis scipy
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc TAROCCO_EXAMPLES=40 \
		$(SANITIZED)/bin/python -m pytest tests/kernels --deselect tests/kernels/test_build.py

# Regenerate pages and the outputs of all examples, build the site, and count the checked code blocks.
docs: $(VENV)/.test $(VENV)/.docs
	$(VENV)/bin/python tools/make_pages.py
	$(VENV)/bin/python tools/console_blocks.py README.md docs/*.md
	@$(MAKE) --no-print-directory site
	@$(VENV)/bin/python tools/executed_blocks.py --count

# Needs no network. A broken link is an error.
site: $(VENV)/.docs
	@rm -rf $(SITE)
	$(VENV)/bin/python -m sphinx -W --keep-going -n -q -E docs $(SITE)
	$(VENV)/bin/python tools/check_site.py $(SITE)
	@echo "$(SITE)/index.html"

# Takes several minutes and more than 1 GB of temporary files.
study: $(VENV)/.bench $(VENV)/.docs
	$(VENV)/bin/python tools/orange_study.py
	$(VENV)/bin/python tools/reference_study.py
	$(VENV)/bin/python tools/combining_study.py
	$(VENV)/bin/python tools/tuning_study.py

# About an hour: every simulation of docs/calibration.md.
calibration: $(VENV)/.bench
	OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python tools/calibrate.py

clean:
	rm -rf $(VENV) $(PLAIN) $(SANITIZED) $(GUIDED) build dist src/*.egg-info src/tarocco/kernels/*.so

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

# Install the requirements of an extra by name, so that tarocco is not compiled again for each extra.
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

$(VENV)/.browser: $(VENV)/.test | chromium
	$(call extra,browser)
	@touch $@

chromium:
	@command -v chromium >/dev/null || test -n "$$CHROMIUM" || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null \
		|| { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium fonts-liberation; }

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

$(GUIDED)/.installed: $(VENV)/bin/python $(SOURCES) $(BUILD)
	$(PYTHON) -m venv --clear $(GUIDED)
	TAROCCO_NO_COMPILE=1 TAROCCO_REQUIRE_COMPILE=0 $(GUIDED)/bin/python -m pip install -q . atheris
	@touch $@
