#!/usr/bin/env bash
# One GRPO step against TRL at three picture sizes, on a quiet machine; writes one JSON a size.
# Needs an environment with coepg[train,bench] and a torchvision that fits its torch.
# Usage: benchmarks/grpo_step.sh OUT_DIR [python]
set -euo pipefail
out=$1
python=${2:-python}
mkdir -p "$out"
for size in 48:5 300:3 1200:2; do
    tokens=${size%%:*}
    "$python" -m coepg.cli.main bench grpo --image-tokens "$tokens" --group 7 --steps "${size##*:}" \
        --peer trl --json "$out/grpo-$tokens.json"
done
for group in 8 16; do
    "$python" -m coepg.cli.main bench grpo --image-tokens 1200 --group "$group" --steps 3 \
        --peer none --json "$out/group-$group.json"
done
