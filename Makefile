# Two commands, each enough on a fresh machine: `make report` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: report test check lint calibrate benchmark clean

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

report: .venv/installed
	$(BIN)/asymptest report --out reports/out

test: .venv/installed
	$(BIN)/python -m pytest -n 2 --dist loadfile tests theorems

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

calibrate: .venv/installed
	$(BIN)/asymptest calibrate --out reports/out

benchmark: .venv/installed
	$(BIN)/python -m pytest benchmarks --benchmark-only

clean:
	rm -rf .venv reports/out
