#!/usr/bin/env bash
# The N-th allocation, read or mapping fails, for every N up to where none is left: the program ends
# with a documented exit code and a message, never by a signal, and never with a half report.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
library="${FAULTS:-build/release/tests/faults/fail_nth.so}"
case "$orrery" in
*asan*)
    echo "cli: 0 passed, 0 failed, 1 skipped"
    echo "skipped: sanitizers have their own allocator"
    exit 0
    ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

example() { # environment..: runs the example with it
    env "$@" LD_PRELOAD="$library" "$orrery" run --workload configs/examples/dp8/workload \
        --replicate --network configs/examples/dp8/network.yml \
        --system configs/examples/dp8/system.json \
        --remote-memory configs/examples/dp8/memory.json --output "$scratch/report" \
        >"$scratch/out" 2>"$scratch/err" </dev/null
}

example FAIL_MALLOC=0 || {
    echo "the example does not run with the library preloaded"
    exit 1
}
mv "$scratch/report" "$scratch/expected"

# Fails at N = 1, 2, ..: the same report (the call did not matter), or a clean end and no report.
check() { # FAIL_WHAT N
    local rc=0
    rm -f "$scratch/report"
    example "$1=$2" || rc=$?
    case "$rc" in
    0)
        cmp -s "$scratch/report" "$scratch/expected" && passed=$((passed + 1)) && return
        ;;
    3 | 4 | 5 | 6 | 70) # 70: an arena is exhausted, which is a promise and says so
        [ ! -e "$scratch/report" ] && [ -s "$scratch/err" ] && passed=$((passed + 1)) && return
        ;;
    esac
    failed=$((failed + 1))
    echo "FAILED: $1=$2: exit $rc, report $(ls "$scratch/report" 2>/dev/null): $(head -n 1 "$scratch/err")"
}

for what in FAIL_MALLOC FAIL_READ FAIL_MMAP; do
    clean=0 # runs in a row that were not disturbed: then there are no further calls
    for ((n = 1; n <= 4000 && clean < 40; n++)); do
        before=$failed
        check "$what" "$n"
        if [ "$failed" -eq "$before" ] && [ -e "$scratch/report" ]; then
            clean=$((clean + 1))
        else
            clean=0
        fi
    done
done
echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
