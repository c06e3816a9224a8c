#!/usr/bin/env bash
# Make sure that a Chromium is there for the browser tests.
# Usage: tools/chromium.sh FOLDER_OF_THE_VIRTUAL_ENVIRONMENT'S_PROGRAMS
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null; then
        exit 0
    fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-liberation >/dev/null
else
    "$1/playwright" install --with-deps chromium
fi
