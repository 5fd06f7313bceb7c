#!/usr/bin/env bash
# orrery explain on the command line: the sums in JSON are
# the makespan to the picosecond, the makespan is that of `orrery run`, and what cannot be is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

# -- every table sums to the makespan, which is the run's ---------------------------------------------
# shellcheck disable=SC2054 # a comma of a word
job=(llama3-8b --cluster preset:dgx-h100,nodes=2 --plan pp=2,tp=8,global-batch=4,seq=4096)
makespan=$("$orrery" run "${job[@]}" --quiet | sed -n 's/^makespan .*(\([0-9]*\) ps).*/\1/p')
for fold in "" --no-fold; do
    # shellcheck disable=SC2086 # no word, or one
    row 0 "" explain "${job[@]}" --format json --quiet $fold
    sums=$(awk -v makespan="$makespan" '
        /"(parts|collectives|classes|link_classes|links|stages|ranks|ops)": \[/ { table = $1; tables++; sum[table] = 0 }
        table && match($0, /"time_ps": [0-9]+/) { sum[table] += substr($0, RSTART + 11, RLENGTH - 11) }
        /^  \]/ { table = "" }
        END { good = tables == 8; for (t in sum) if (sum[t] != makespan) good = 0; print good ? "yes" : "no" }
    ' "$scratch/out")
    judge "each table of JSON sums to $makespan ps $fold" "$sums"
done

# -- bounds --------------------------------------------------------------------------------------------
row 0 "" explain "${job[@]}" --quiet --free rank:3 --free collective:all-reduce --infinite compute
says "rank:3"
says "collective:all-reduce"
says "all of these"
row 0 "" explain "${job[@]}" --quiet --ladder --free link:spine --free group:tp --free op:mlp.up
says "communication (perfect network)"
says "exposed communication (perfect overlap)"
says "stragglers"
says "then bound by"
says "group:tp"
# a free rank stands for nobody else
row 0 "" explain "${job[@]}" --quiet --free rank:0 --free rank:8 --infinite memory
cp "$scratch/out" "$scratch/folded"
row 0 "" explain "${job[@]}" --quiet --free rank:0 --free rank:8 --infinite memory --no-fold
same=$(diff <(sed -n '/^bounds/,$p' "$scratch/folded") <(sed -n '/^bounds/,$p' "$scratch/out") >"$scratch/diff" && echo yes)
judge "bounds of ranks are the same folded and not" "${same:-no}"

# -- what 1 % is worth, by the path and by a run ---------------------------------------------------------
row 0 "" explain "${job[@]}" --quiet --measure
says "1 % is worth  measured"
close=$("$orrery" explain "${job[@]}" --quiet --measure --format json | awk -F'[:,]' '
    /"scales_with": "matrix-ratio", "one_percent_measured/ { d = $10 * 100 / $4 - 1; good = (d > -0.01 && d < 0.01); print(good ? "yes" : "no") }')
judge "products are worth what a run says" "${close:-no}"

# -- sensitivities: parts that are ops or launches are worth what runs say; one rank of many saves nothing -----------------
row 0 "" explain "${job[@]}" --quiet --measure --format json
close=$(awk '
    match($0, /"name": "[^"]*"/) { name = substr($0, RSTART + 9, RLENGTH - 10) }
    match($0, /"one_percent_measured_ps": [0-9.-]+/) { run[name] = substr($0, RSTART + 27, RLENGTH - 27) }
    match($0, /"dimension": [0-9]/) && !/measured/ { name = name ", dimension " substr($0, RSTART + 13, 1) }
    match($0, /"one_percent_slower_ps": [0-9.]+/) && name in run {
        d = substr($0, RSTART + 25, RLENGTH - 25) / run[name] - 1
        rows++
        far += d > 0.005 || d < -0.005
    }
    END { print (rows >= 9 && !far ? "yes" : "no") }' "$scratch/out")
judge "sensitivities of compute, launches and links are what runs say" "$close"
row 0 "" explain "${job[@]}" --quiet --no-fold --format json
says "rank_sensitivity"
# one rank of eight that work in step, 1 % slower: by the replay, and by a run
slower=$(sed -n 's/.*"rank": 8, "alike": 1, "one_percent_slower_ps": \([0-9]*\).*/\1/p' "$scratch/out")
run=$("$orrery" run "${job[@]}" --quiet --no-fold --set "variation.slow-ranks=rank 8: 1.01x" |
    sed -n 's/^makespan .*(\([0-9]*\) ps).*/\1/p')
close=$(awk -v slower="${slower:-0}" -v run="$run" -v makespan="$makespan" 'BEGIN {
    off = slower / (run - makespan) - 1; print (off > -0.1 && off < 0.1 ? "yes" : "no") }')
judge "a slower rank costs what a run says" "$close"

# -- a small job is measured by itself, and says where the path is not to be trusted ---------------------
mixtral=(mixtral-8x7b --cluster "preset:dgx-h100,nodes=16" --plan "ep=8,dp=128,global-batch=128,seq=4096" --quiet)
row 0 "" explain "${mixtral[@]}"
says "* 208.8 us  overlap-slowdown"
says "do not trust the sensitivity to that part"
row 0 "" explain "${mixtral[@]}" --no-measure
silent=$(grep -c "measured\|do not trust" "$scratch/out" || true)
judge "--no-measure measures nothing" "$([ "$silent" -eq 0 ] && echo yes)"

# a limit that the job keeps, and 1 % more does not
row 0 "" explain configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload --replicate --quiet --max-time 28.3ms
says "link bandwidth, dimension 0"
row 13 "the run did not end" explain configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload --replicate --quiet --max-time 28.3ms --measure

# -- a library that takes another protocol when links are 10 % slower: said, and by how much --------------
row 0 "" explain llama3-8b --cluster preset:dgx-h100,nodes=2 --plan tp=8,global-batch=2,seq=4096 --quiet
says "link bandwidth, dimension 0: from +8.4 % on"
row 0 "" explain llama3-8b --cluster preset:dgx-h100,nodes=2 --plan tp=8,global-batch=2,seq=4096 --quiet --format json
says_end() {
    "$orrery" run llama3-8b --cluster preset:dgx-h100,nodes=2 --plan tp=8,global-batch=2,seq=4096 --quiet "$@" |
        sed -n 's/^makespan .*(\([0-9]*\) ps).*/\1/p'
}
close=$(awk -v plain="$(says_end)" -v slow="$(says_end --set "network.changes=dim 0:bw*0.909090909")" '
    /"name": "link bandwidth", .*"dimension": 0.*"step_slower_ps"/ {
        match($0, /"ten_percent_slower_ps": [0-9.]+/); ten = substr($0, RSTART + 25, RLENGTH - 25)
        match($0, /"step_slower_ps": [0-9.]+/); step = substr($0, RSTART + 18, RLENGTH - 18)
        real = slow - plain
        print (real > 1.2 * ten && real < 1.1 * (ten + step) && real > 0.7 * (ten + step) ? "yes" : "no")
    }' "$scratch/out")
judge "what 10 % slower links cost beyond the line is what a run says" "${close:-no}"

# -- refused -------------------------------------------------------------------------------------------
row 2 "rank 16 is not there" explain "${job[@]}" --free rank:16
row 2 "did you mean \"all-reduce\"" explain "${job[@]}" --free collective:all-reduc
row 2 "expected rank:N" explain "${job[@]}" --infinite wisdom
row 2 "expected text or json" explain "${job[@]}" --format csv
row 2 "has no contention" explain "${job[@]}" --network-backend analytical --no-contention
row 2 "expected 1 to" explain "${job[@]}" --top 0
row 2 "did you mean \"tp\"" explain "${job[@]}" --free group:tpx
row 2 "the job has no op" explain "${job[@]}" --free op:forwird
row 2 "the job has no op" explain "${job[@]}" --free collective:moe.dispatch
row 0 "" explain "${job[@]}" --quiet --free "collective:forward.layer*.tp"
says "collective:forward.layer"
row 4 "classes of nodes are npu" explain "${job[@]}" --free link:spin
row 4 "no node \"nowhere\"" explain "${job[@]}" --free link:nowhere--else

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
