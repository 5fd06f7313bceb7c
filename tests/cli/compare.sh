#!/usr/bin/env bash
# orrery compare on the command line: our run against logs, CSVs and traces; limits for CI; what cannot be compared; and
# the recorded results of ASTRA-sim, rank by rank.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

dp8=configs/examples/dp8
inputs=(--workload "$dp8/workload" --replicate --network "$dp8/network.yml" --system "$dp8/system.json" --quiet)
"$orrery" run "${inputs[@]}" --format json --output "$scratch/r.json" --timeline "$scratch/t.json" --timeline-ranks 0-7
"$orrery" run "${inputs[@]}" --format csv --output "$scratch/r.csv"
"$orrery" run "${inputs[@]}" --format astra --output "$scratch/a.log"

# -- one run in all its forms is equal to itself -----------------------------------------------------------
for one in r.json r.csv a.log t.json; do
    for other in r.json r.csv a.log t.json; do
        row 0 "" compare "$scratch/$one" "$scratch/$other" --tolerance 0%,ranks=0% --quiet
        says "8 of 8 ranks equal to the"
        says "within the tolerance"
    done
done
row 0 "" compare "$scratch/t.json" "$scratch/t.json" --format csv
says "ops,all ops,192,192,0,"
row 0 "" compare "$scratch/r.json" "$scratch/r.json"
says "differ"
row 0 "" compare "$scratch/r.json" "$scratch/a.log" --unit cycles
says "10871604 cycles"

# -- differences, and what a CI job sees ---------------------------------------------------------------------
sed -E 's/sys\[5\] finished, [0-9]+/sys[5] finished, 9999999/; /sys\[7\]/d' "$scratch/a.log" >"$scratch/b.log"
row 0 "" compare "$scratch/r.json" "$scratch/b.log"
says "6 of 8 ranks equal to the cycle"
says "1 rank is only in A: 7"
says "rank 5"
row 16 "beyond the tolerance" compare "$scratch/r.json" "$scratch/b.log" --tolerance 5%
row 16 "ranks are only in A" compare "$scratch/r.json" "$scratch/b.log" --tolerance 10%
row 0 "" compare "$scratch/r.json" "$scratch/b.log" --tolerance step=0%
row 16 "nothing of it could be compared" compare "$scratch/r.json" "$scratch/b.log" --tolerance ops=50%

# -- step times ------------------------------------------------------------------------------------------------
printf '# measured\nstep,rank,time\n1,0,10.5\n1,1,11\n2,0,11.2\n2,1,10.9\n' >"$scratch/steps.csv"
row 3 "time with its unit" compare "$scratch/r.json" "$scratch/steps.csv"
row 0 "" compare "$scratch/r.json" "$scratch/steps.csv" --time-unit ms
says "steps of B: 2, mean 11.10 ms"
row 16 "step, step" compare "$scratch/r.json" "$scratch/steps.csv" --time-unit ms --tolerance step=1%
sed 's/time$/time_us/; s/,1\([01]\)/,1\1000/' "$scratch/steps.csv" | tr -d . >"$scratch/us.csv"

# -- the same twice ----------------------------------------------------------------------------------------------
for format in text json csv; do
    row 0 "" compare "$scratch/t.json" "$scratch/b.log" --format "$format" --output "$scratch/one"
    row 0 "" compare "$scratch/t.json" "$scratch/b.log" --format "$format" --output "$scratch/two"
    judge "$format: the same twice" "$(cmp -s "$scratch/one" "$scratch/two" && echo yes || echo no)"
done

# -- what is refused -----------------------------------------------------------------------------------------------
row 2 "two results are needed" compare "$scratch/r.json"
row 2 "is a third" compare a b c
row 2 "--unit: expected one of" compare "$scratch/r.json" "$scratch/r.json" --unit fortnights
row 2 "--align: expected one of" compare "$scratch/r.json" "$scratch/r.json" --align luck
row 2 "--tolerance: expected 5%" compare "$scratch/r.json" "$scratch/r.json" --tolerance 5
row 2 "--step: expected" compare "$scratch/r.json" "$scratch/r.json" --step second
row 5 "there is no such file" compare "$scratch/r.json" "$scratch/none"
row 3 "no kind of result" compare "$scratch/r.json" README.md
: >"$scratch/nothing"
row 3 "is empty" compare "$scratch/r.json" "$scratch/nothing"
mkdir "$scratch/empty"
row 3 "no result in this folder" compare "$scratch/r.json" "$scratch/empty"
head -c 2000 "$scratch/r.json" >"$scratch/cut.json"
row 3 "does not end" compare "$scratch/cut.json" "$scratch/r.json"
row 3 "no node has a recorded duration" compare "$scratch/r.json" tests/golden/ar_ring4_json/trace.json
row 5 "cannot write" compare "$scratch/r.json" "$scratch/r.json" --output "$scratch/none/report"

# -- recorded results of ASTRA-sim: every rank, finish and exposed communication -----------------------------------------
# One case in COMPARE_EVERY (1) of those whose results are recorded by rank. Not those of 2^63 cycles
# (x_roof_ops0: 0 / 0 flops as an integer), which are no time.
astra="${ORRERY_SHARED:-/work/shared}/data/astra"
if [ -r "$astra/reference.jsonl" ]; then
    cases=0 ranks=0
    mkdir "$scratch/logs"
    # Case and options to $scratch/cases, what ASTRA-sim printed to $scratch/logs/CASE.
    awk -v folder="$scratch/logs" -v every="${COMPARE_EVERY:-1}" '
        function list(key) { return match($0, "\"" key "\": \\[[^]]*") ? substr($0, RSTART + length(key) + 5, RLENGTH - length(key) - 5) : "" }
        function word(key) { return match($0, "\"" key "\": [^,}]*") ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4) : "" }
        !/"status": "ok"/ || !list("cycles_per_sys") { next }
        /9223372036854775808/ { next }
        !list("exposed_per_sys") && word("exposed_min") != word("exposed_max") { next }
        n++ % every == 0 {
            one = word("case"); gsub(/"/, "", one)
            options = list("extra_args"); gsub(/[",]/, " ", options)
            backend = word("backend"); gsub(/"/, "", backend); gsub(/_/, "-", backend)
            print one, "--network-backend", backend, options
            count = split(list("cycles_per_sys"), finish, ", ")
            by_rank = split(list("exposed_per_sys"), exposed, ", ")
            for (i = 1; i <= count; i++)
                printf "sys[%d] finished, %s cycles, exposed communication %s cycles.\n", i - 1, finish[i], \
                    by_rank ? exposed[i] : word("exposed_min") >(folder "/" one)
            close(folder "/" one)
        }' "$astra/reference.jsonl" >"$scratch/cases"
    while read -ra words; do
        folder="$astra/cases/${words[0]}"
        log="$scratch/logs/${words[0]}"
        words=("${words[@]:1}" --workload "$folder/workload" --network "$folder/network.yml" --system "$folder/system.json"
            --remote-memory "$folder/memory.json" --quiet --format csv --output "$scratch/ours.csv")
        [ -e "$folder/workload.all.et" ] && words+=(--replicate)
        [ -e "$folder/comm_group.json" ] && words+=(--comm-group-configuration "$folder/comm_group.json")
        if ! "$orrery" run "${words[@]}" 2>"$scratch/err"; then
            echo "not run: $(head -n 1 "$scratch/err")"
            continue
        fi
        row 0 "" compare "$scratch/ours.csv" "$log" --tolerance 0%,ranks=0% --quiet
        cases=$((cases + 1))
        ranks=$((ranks + $(wc -l <"$log")))
    done <"$scratch/cases"
    judge "recorded cases were compared" "$([ "$cases" -ge 20 ] && echo yes || echo no)"
    echo "compare: $cases recorded cases of ASTRA-sim, $ranks ranks"
else
    skipped=$((skipped + 1))
    echo "skipped: no recorded results of ASTRA-sim (ORRERY_SHARED)"
fi

echo "cli: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
