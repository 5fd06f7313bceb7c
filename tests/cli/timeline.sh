#!/usr/bin/env bash
# orrery run --timeline on the command line: both formats keep their rules, what is asked for is there, the same twice,
# and what cannot be is refused before the run and leaves no file.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
tools="${TOOLS:-build/release/tests/tools}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

# shellcheck disable=SC2054 # a comma of a word
job=(llama3-8b --cluster preset:dgx-h100,nodes=2 --plan pp=2,tp=8,global-batch=4,seq=4096)

yes_if() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }

# -- both formats ------------------------------------------------------------------------------------
row 0 "" run "${job[@]}" --quiet --timeline "$scratch/t.json" --timeline-ranks 0,8-9
judge "a timeline of three ranks" "$([ "$(grep -c '"name": "rank ' "$scratch/t.json")" -eq 3 ] && echo yes || echo no)"
judge "arrows from sends" "$(yes_if grep -q '"ph": "s"' "$scratch/t.json")"
judge "device memory" "$(yes_if grep -q 'device memory' "$scratch/t.json")"
judge "the critical path" "$(yes_if grep -q '"critical path"' "$scratch/t.json")"
judge "JSON keeps its rules" "$(yes_if "$tools/check_timeline" "$scratch/t.json")"
cp "$scratch/t.json" "$scratch/first.json"
row 0 "" run "${job[@]}" --quiet --timeline "$scratch/t.json" --timeline-ranks 0,8-9
judge "the same twice" "$(yes_if cmp -s "$scratch/t.json" "$scratch/first.json")"
for ending in pftrace perfetto-trace; do
    row 0 "" run "${job[@]}" --quiet --timeline "$scratch/t.$ending" --timeline-ranks 0,8-9
    judge "native keeps its rules" "$(yes_if "$tools/check_timeline" "$scratch/t.$ending")"
done
judge "both endings mean the same" "$(yes_if cmp -s "$scratch/t.pftrace" "$scratch/t.perfetto-trace")"
judge "both formats hold the same" "$([ "$("$tools/check_timeline" "$scratch/t.json" | sed 's/^[a-z]*//')" = \
    "$("$tools/check_timeline" "$scratch/t.pftrace" | sed 's/^[a-z]*//')" ] && echo yes || echo no)"
row 0 "" run "${job[@]}" --quiet --no-fold --timeline "$scratch/t.pftrace" --timeline-ops 5000
says "fewer ranks than asked for"
judge "without folding too" "$(yes_if "$tools/check_timeline" "$scratch/t.pftrace")"

# -- links -------------------------------------------------------------------------------------------
for model in flow link analytical; do
    row 0 "" run "${job[@]}" --quiet --network-backend "$model" --timeline "$scratch/t.json" --timeline-links 2
    judge "counters of the network: $model" "$([ "$(grep -o '"C", "name": "[^"]*", "pid": 17' "$scratch/t.json" | sort -u | wc -l)" -eq 4 ] && echo yes || echo no)"
done
row 0 "" run "${job[@]}" --quiet --timeline "$scratch/t.json" --timeline-links 0
judge "no counters of the network" "$(yes_if [ "$(grep -c '"name": "network"' "$scratch/t.json")" -eq 0 ])"
for model in congestion-aware congestion-unaware; do
    row 0 "" run configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload --replicate --quiet --network-backend "$model" --timeline "$scratch/t.json"
    judge "counters by dimension: $model" "$(yes_if grep -q '"dimension 0 (Ring), all 16 links"' "$scratch/t.json")"
done
row 0 "" run "${job[@]}" --quiet --network-backend ideal --timeline "$scratch/t.json"
says "timeline without counters of links"

# -- refused -----------------------------------------------------------------------------------------
row 2 "rank 16 is not there" run "${job[@]}" --timeline "$scratch/no.json" --timeline-ranks 3,16
row 2 "expected ranks such as" run "${job[@]}" --timeline "$scratch/no.json" --timeline-ranks first
row 2 "is for --timeline" run "${job[@]}" --timeline-ranks 0
row 2 "is for --timeline" run "${job[@]}" --timeline-to 1ms
row 2 "expected 1 to" run "${job[@]}" --timeline "$scratch/no.json" --timeline-ops 0
row 2 "expected 0 to" run "${job[@]}" --timeline "$scratch/no.json" --timeline-links all
row 2 "is not after --timeline-from" run "${job[@]}" --timeline "$scratch/no.json" --timeline-from 2ms --timeline-to 1ms
row 2 "--timeline-from" run "${job[@]}" --timeline "$scratch/no.json" --timeline-from soon
row 2 "ends in .json" run "${job[@]}" --timeline "$scratch/no.txt"
judge "nothing is left of a timeline that failed" "$([ -z "$(find "$scratch" -name 'no.*')" ] && echo yes || echo no)"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
