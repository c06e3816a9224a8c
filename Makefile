# Two commands, each doing all its own set-up on a machine that has Python 3.11+ and make:
#   make demo    the embedded default: trains three generations, prints the table and the report
#   make test    everything that the tests need, Chromium too, and then the tests
VENV ?= .venv
PY = $(VENV)/bin/python
PYTHON ?= $(shell tools/find_python.sh)
RUN ?= runs/default

.PHONY: demo test gate setup-test chromium clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo
	$(VENV)/bin/coepg evolve --recipe default --run $(RUN)

test: setup-test
	COEPG_CHROMIUM="$$(tools/chromium.sh $(VENV)/bin)" $(PY) -m pytest

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
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[train,lora,ocr,browser,dev]'
	@touch $@

# A browser that is there already is used; Debian brings its own; elsewhere it is Playwright's.
chromium: $(VENV)/.test
	@tools/chromium.sh $(VENV)/bin >/dev/null

clean:
	rm -rf $(VENV) runs
