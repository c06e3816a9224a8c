# Two commands, each doing all its own set-up on a machine that has Python 3.11+ and make:
#   make demo    the embedded default: trains three generations, prints the table and the report
#   make test    everything that the tests need, Chromium too, and then the tests
VENV ?= .venv
PY = $(VENV)/bin/python
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	&& echo $$p && break; done)
RUN ?= runs/default

.PHONY: demo test gate setup-test chromium clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo
	$(VENV)/bin/coepg evolve --recipe default --run $(RUN)

test: setup-test
	$(PY) -m pytest

gate: $(VENV)/.test
	tools/gate.sh $(VENV)/bin

setup-test: $(VENV)/.test chromium

$(PY):
	@test -n "$(PYTHON)" || { echo "coepg needs Python 3.11, 3.12 or 3.13 on PATH" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip

$(VENV)/.demo: $(PY) pyproject.toml constraints.txt
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[train,ocr]'
	@touch $@

$(VENV)/.test: $(PY) pyproject.toml constraints.txt
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[train,ocr,browser,dev]'
	@touch $@

# A browser that is there already is used; Debian and Ubuntu bring their own; Playwright's is the rest.
chromium: $(VENV)/.test
	@tools/chromium.sh $(VENV)/bin

clean:
	rm -rf $(VENV) runs
