#!/usr/bin/env bash
# Install everything the tests need into a virtual environment ($VENV, default .venv) and run the fast tier.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
exec "$venv/bin/python" -m pytest -n 2 --dist worksteal -m "not slow" "$@"
