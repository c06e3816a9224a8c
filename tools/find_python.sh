#!/usr/bin/env bash
# Print the newest supported Python on PATH that can make virtual environments; nothing if none.
set -euo pipefail

for name in python3.13 python3.12 python3.11 python3 python; do
    if command -v "$name" > /dev/null && "$name" - 2> /dev/null << 'CHECK'; then
import ensurepip, sys, venv
sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))
CHECK
        command -v "$name"
        exit 0
    fi
done
