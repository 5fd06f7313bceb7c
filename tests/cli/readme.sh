#!/usr/bin/env bash
# The first code block of the README is a real run: its command prints exactly what stands there.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export ORRERY="${ORRERY:-build/release/orrery}"
block=$(awk '/^```/ { inside++; next } inside == 1' README.md)
command=$(head -n 1 <<<"$block" | sed -n 's/^\$ //p')
if diff -u --label README.md --label actual <(tail -n +2 <<<"$block") <($command); then
    echo "cli: 1 passed, 0 failed, 0 skipped"
else
    echo "cli: 0 passed, 1 failed, 0 skipped"
    exit 1
fi
