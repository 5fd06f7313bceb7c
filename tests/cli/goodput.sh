#!/usr/bin/env bash
# orrery goodput on the command line: the examples of the help run, a RESULT gives its step, shares add up, the same seed
# gives the same report, and what is missing or cannot be is said.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

examples=0
while read -r line; do
    read -ra words <<<"${line#orrery }"
    row 0 "" "${words[@]}" --quiet
    says "where the time goes"
    examples=$((examples + 1))
done < <("$orrery" goodput --help | sed -n '/^Examples:/,$s/^  \(orrery .*\)/\1/p')
judge "the help has examples" "$([ "$examples" -ge 3 ] && echo yes || echo no)"

# -- a RESULT is the job again ------------------------------------------------------------------------
# shellcheck disable=SC2054 # a comma of a word
job=(llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=8,global-batch=1,seq=4096)
fails=(--mtbf 50000h --storage 2GB/s --restart 5min --runs 5 --format json --quiet)
"$orrery" run "${job[@]}" --format json --quiet >"$scratch/run.json"
"$orrery" goodput "${job[@]}" "${fails[@]}" >"$scratch/of_job"
row 0 "" goodput "$scratch/run.json" "${fails[@]}"
judge "a RESULT says what its job does" "$(cmp -s "$scratch/of_job" "$scratch/out" && echo yes || echo no)"
step=$(sed -n 's/.*"end_ps": \([0-9]*\).*/\1/p' "$scratch/run.json" | head -1)
judge "its step is the run's" "$(awk -v step="$step" '/"step_s"/ { gsub(",", ""); print ($2 * 1e12 - step < 1 && step - $2 * 1e12 < 1) ? "yes" : "no" }' "$scratch/out")"
judge "shares of each row add up" "$(awk -F'[:,]' '
    /"goodput"/ { sum = 0; rows++
        for (i = 1; i < NF; i++) if ($i ~ /"(goodput|checkpointing|lost_work|restarting|planned_stops|waiting_repair|running_smaller)"/) sum += $(i + 1)
        if (sum < 1 - 1e-9 || sum > 1 + 1e-9) bad = 1 }
    END { print ((rows > 3 && !bad) ? "yes" : "no") }' "$scratch/out")"

# -- mistakes -----------------------------------------------------------------------------------------
step=(--step-time 5s --devices 64)
row 2 "no job was given" goodput
row 2 "--devices: is needed with --step-time" goodput --step-time 5s
row 2 "how often does something fail?" goodput "${step[@]}"
row 2 "how long does it take to write a checkpoint?" goodput "${step[@]}" --mtbf 1000h
row 2 "how long does a restart take?" goodput "${step[@]}" --mtbf 1000h --checkpoint-time 1s
row 2 "--mtbf: expected a time above 0" goodput "${step[@]}" --mtbf 0s
row 2 "--failures-per-day: is instead of" goodput "${step[@]}" --mtbf 1000h --failures-per-day 3
row 2 "--async: needs --stall" goodput "${step[@]}" --mtbf 1000h --checkpoint-time 1s --async
row 2 "--spares: needs --repair" goodput "${step[@]}" --mtbf 1000h --checkpoint-time 1s --restart 1min --spares 2
row 2 "--interval: at least 60 s" goodput "${step[@]}" --mtbf 1000h --checkpoint-time 61s --async --stall 1s --restart 1min --interval 30s
row 2 "--days: expected a number above 0, at most 200" goodput "${step[@]}" --mtbf 1000h --checkpoint-time 1s --restart 1min --days 300
for often in "--mtbf 1ps" "--mtbf 1h --devices 10000000" "--mtbf 1000h --planned-per-day 1000000" "--failures-per-day 1000000"; do
    read -ra words <<<"$often"
    row 2 "failures, stops and checkpoints to simulate" goodput "${step[@]}" --checkpoint-time 1s --restart 1min "${words[@]}"
done
row 2 "failures, stops and checkpoints to simulate" goodput --step-time 1ns --devices 8 --mtbf 1000h --checkpoint-time 1ns --restart 1min --interval 1us
row 0 "" goodput "${step[@]}" --mtbf 1h --checkpoint-time 1s --restart 1s --runs 0
row 2 "--step-time: is instead of a job" goodput "${job[@]}" --step-time 5s --devices 8
row 2 "--tokens: is for --step-time" goodput "${job[@]}" --tokens 5

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
