# What CI runs, by the name that a person types, in a venv with `pip install -e '.[dev]'`.

export PYTHONPATH := .:adapters

.PHONY: check lint types contracts spelling dead-code dependencies house docs lock format test soak bench clean

check: lint types contracts spelling dead-code dependencies house

lint:
	ruff check .
	ruff format --check .

types:
	mypy

# Who may import whom.
contracts:
	lint-imports

spelling:
	codespell

dead-code:
	vulture

# What is imported is declared, and the other way round.
dependencies:
	deptry .

# Sizes, public names, docs, wheel, contracts broken on purpose.
house:
	python -m pytest tests/house

# Rewrite the generated parts of docs/reference.
docs:
	python docs/generate.py

# What CI installs, by version and digest, and the licences of it. Needs the package index.
lock:
	python -m pip install --quiet --dry-run --ignore-installed --report - '.[dev]' | python -m tests.trust.supply.lock
	python -m tests.trust.supply.closure

format:
	ruff check --fix .
	ruff format .

test:
	python -m pytest

soak:
	python -m pytest -m soak

bench:
	python -m tests.benchmarks

clean:
	rm -rf dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
