"""Commands as agents run them all day: nothing may be found in them."""

from __future__ import annotations

import time

import pytest

from tenterhook.library.actions.settings import ActionSettings
from tenterhook.library.guard import danger
from tenterhook.library.guard.paths import Territory

PROJECT = "/srv/work/project"
DAILY = [
    "npm test -- --watch=false 2>&1 | tail -40",
    f'cd {PROJECT} && python -m pytest -q tests/test_x.py -k "a and not b" 2>&1 | head -100',
    'git add -A && git commit -m "$(cat <<\'EOF\'\nfeat: don\'t do "x" & y\n\nmore\nEOF\n)"',
    "for f in $(git ls-files '*.py'); do wc -l \"$f\"; done | sort -n | tail -5",
    "find . -name node_modules -prune -o -name '*.ts' -print | xargs grep -n foo || true",
    "sed -n '1,20p' file && sed -i 's/a/b/g' src/x.py",
    "source .venv/bin/activate && pip install -e '.[dev]'",
    'export PATH="$HOME/.local/bin:$PATH" && uv sync',
    "PYTHONPATH=src python3 - <<'PY'\nprint(\"hi $(x) `y`\")\nPY",
    "docker compose up -d && docker compose logs --tail=50",
    "curl -s http://localhost:8080/health | jq '.status'",
    "if [ -f package.json ]; then npm ci; else echo none; fi",
    "test -d build || mkdir build; cmake -S . -B build && cmake --build build -j$(nproc)",
    "awk '{print $1}' f | sort | uniq -c | sort -rn | head",
    "cat > src/new.py <<'EOF'\nx = \"it's\"\nEOF",
    "ps aux | grep node | awk '{print $2}' | xargs kill",
    'tmp=$(mktemp -d) && cp a.txt "$tmp/" && rm -rf "$tmp"',
    "python -c \"import json,sys; print(json.load(sys.stdin)['a'])\" < x.json",
    "rm -rf node_modules && npm install",
    "cargo test --workspace -- --nocapture 2>&1 | grep -E 'FAILED|ok'",
    "git rebase --continue; git stash pop; git checkout -- src/a.py",
    "{ echo a; echo b; } > out.txt",
    'make -j4 && ./bin/app --flag="x y" &',
    '[ -z "$X" ] && echo empty',
    "mkdir -p build && cd build && cmake .. && make && cd .. && rm -rf build",
    "diff <(sort a) <(sort b)",
    'while read -r line; do echo "$line"; done < file.txt',
    "trap 'rm -f \"$tmp\"' EXIT",
    'npx prettier --write "src/**/*.{ts,tsx}"',
    "timeout 60 npm run dev > /tmp/dev.log 2>&1 &",
]


@pytest.mark.parametrize("command", DAILY)
def test_daily_work_is_let_through(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")

    assert not [one.text for one in danger.findings(command, Territory(PROJECT, ActionSettings()), PROJECT)]


@pytest.mark.parametrize(
    "made",
    [
        "X = " + "$(X)" * 40 + "\nall:\n\t" + "$(X)" * 4000,
        "all:\n\t" + "$(shell " * 20_000,
        "\t" * 100_000,
        "a:" * 90_000,
    ],
    ids=["a variable in itself", "nested calls", "tabs", "colons"],
)
def test_a_makefile_that_is_made_to_take_long_is_read_in_no_time(made: str) -> None:
    began = time.monotonic()
    danger.findings(f"make -f - <<'END'\n{made}\nEND", Territory(PROJECT, ActionSettings()), PROJECT)

    assert time.monotonic() - began < 5
