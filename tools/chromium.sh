#!/usr/bin/env bash
# Print the path of a Chromium; install one first if there is none.
# Usage: tools/chromium.sh FOLDER_OF_THE_VIRTUAL_ENVIRONMENT'S_PROGRAMS
set -euo pipefail
programs=$1

existing() {
    local name
    for name in ${COEPG_CHROMIUM:-chromium chromium-browser google-chrome google-chrome-stable}; do
        # Ubuntu's chromium-browser may be a stub that only says how to install a snap.
        if command -v "$name" > /dev/null && "$name" --version > /dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    "$programs/python" - << 'PLAYWRIGHT'
import os, sys
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    path = playwright.chromium.executable_path
if not os.path.exists(path):
    sys.exit(1)
print(path)
PLAYWRIGHT
}

existing && exit 0
echo "no Chromium found; installing one" >&2
if [ "$(id -u)" = 0 ] && grep -q '^ID=debian' /etc/os-release 2> /dev/null; then
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-liberation >&2
elif [ "$(id -u)" = 0 ]; then
    "$programs/playwright" install --with-deps chromium >&2
else
    "$programs/playwright" install chromium >&2
fi
existing
