#!/usr/bin/env bash
# The quality gate: the same locally and in CI. Runs every check, then fails if any did.
# Usage: tools/gate.sh [folder of the programs; default: those on PATH]
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -ge 1 ] && PATH="$(cd "$1" && pwd):$PATH"

failed=()
check() {
    local name=$1
    shift
    printf -- '--- %s\n' "$name"
    "$@" || failed+=("$name")
}

places=(src tests tools)
for optional in benchmarks examples; do
    [ -d "$optional" ] && places+=("$optional")
done
texts=(docs)
for optional in README.md CONTRIBUTING.md CHANGELOG.md; do
    [ -f "$optional" ] && texts+=("$optional")
done

check "ruff check" ruff check "${places[@]}"
check "ruff format" ruff format --check "${places[@]}"
check "mypy" mypy
check "layers" lint-imports --no-cache
check "spelling" codespell "${places[@]}" "${texts[@]}"
check "sizes" python tools/check_size.py src

if [ ${#failed[@]} -gt 0 ]; then
    printf '\ngate: failed: %s\n' "$(IFS=,; echo "${failed[*]}")" >&2
    exit 1
fi
echo "gate: all passed"
