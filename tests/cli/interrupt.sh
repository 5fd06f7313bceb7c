#!/usr/bin/env bash
# Ctrl-C and termination stop a long run cleanly: exit 130, a report of how far it got, nothing under
# the name of an output file that is half done.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
tools="${TOOLS:-build/release/tests/tools}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

check() { # WHAT CONDITION..
    local what="$1"
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        cat "$scratch/out" "$scratch/err" 2>/dev/null | tail -n 15
    fi
}

# A run of hundreds of millions of messages: it cannot end before the signal.
"$tools/make_trace" "$scratch/w" '{"gen": "skew", "npus": 512, "comm": "ALL_REDUCE",
    "size": 67108864, "count": 400, "base_us": 1, "spread_us": 9973}'
printf 'topology: [ Ring ]\nnpus_count: [ 512 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' \
    >"$scratch/network.yml"

for signal in INT TERM; do
    # Background jobs of a script ignore SIGINT; env gives the program its default back.
    env --default-signal=INT "$orrery" run --workload "$scratch/w" \
        --network "$scratch/network.yml" --system tests/golden/inputs/ring.json \
        --format text >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    sleep 2
    kill -s "$signal" "$pid"
    rc=0
    wait "$pid" || rc=$?
    check "SIG$signal: exit code is 130, not $rc" [ "$rc" -eq 130 ]
    check "SIG$signal: the report says interrupted" grep -q interrupted "$scratch/out"
    check "SIG$signal: and how far it got" grep -q '^got to' "$scratch/out"
done

# A report of two million ranks takes seconds to write: the signal comes while half of it is there.
echo '{"workload_graph": [{"Id": 0, "Name": "n", "NodeType": 4, "runtime": 5}]}' >"$scratch/one.json"
sed 's/512 \]/2097152 ]/' "$scratch/network.yml" >"$scratch/large.yml"
for signal in INT TERM; do
    mkdir "$scratch/$signal"
    env --default-signal=INT "$orrery" run --workload "$scratch/one.json" --replicate \
        --network "$scratch/large.yml" --system tests/golden/inputs/ring.json --format json \
        --output "$scratch/$signal/report" >"$scratch/out" 2>"$scratch/err" &
    pid=$!
    for _ in {1..500}; do
        [ "$(find "$scratch/$signal" -size +0)" = "$scratch/$signal" ] || break
        sleep 0.02
    done
    kill -s "$signal" "$pid"
    rc=0
    wait "$pid" || rc=$?
    check "SIG$signal while writing: exit code is 130, not $rc" [ "$rc" -eq 130 ]
    check "SIG$signal while writing: one line" grep -q interrupted "$scratch/err"
    check "SIG$signal while writing: no file is left" \
        [ -z "$(find "$scratch/$signal" -type f)" ]
done
echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
