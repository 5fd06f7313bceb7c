#!/usr/bin/env bash
# orrery vary on the command line: the examples of the help run, a sample is the run of that number, zero jitter is the
# plain run to the byte, two processes say what one says, and what cannot be is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

# -- the examples of the help ------------------------------------------------------------------------
examples=0
while read -r line; do
    eval "words=(${line#orrery })" # the examples have quotes
    # shellcheck disable=SC2154
    row 0 "" "${words[@]}" --quiet --samples 40 --until 9%
    says "plain"
    examples=$((examples + 1))
done < <("$orrery" vary --help | sed -n '/^Examples:/,$s/^  \(orrery .*\)/\1/p')
judge "the help has examples" "$([ "$examples" -ge 3 ] && echo yes || echo no)"

# -- a sample is the run of that number ---------------------------------------------------------------
# shellcheck disable=SC2054 # a comma of a word
job=(llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=8,global-batch=1,seq=4096)
# shellcheck disable=SC2054
varied=("${job[@]}" --op-jitter 0.1 --rank-jitter 0.05 --start-delay 2us --seed 4)
row 0 "" vary "${varied[@]}" --samples 22 --until 0 --format json --quiet
drawn=$(sed -n 's/.*"makespan_ps": \[\(.*\)\].*/\1/p' "$scratch/out" | tr -d ' ')
for sample in 0 7 21; do
    alone=$("$orrery" run "${varied[@]}" --sample $sample --quiet | sed -n 's/^makespan .*(\([0-9]*\) ps).*/\1/p')
    there=$(cut -d, -f$((sample + 1)) <<<"$drawn")
    judge "sample $sample is orrery run --sample $sample: $there ps" "$([ "$alone" = "$there" ] && echo yes || echo no)"
done
row 0 "" vary "${varied[@]}" --samples 15 --until 0 --sample 7 --format json --quiet --workers 1
later=$(sed -n 's/.*"makespan_ps": \[\(.*\)\].*/\1/p' "$scratch/out" | tr -d ' ')
judge "samples from 7 on are the same ones" "$([ "$later" = "$(cut -d, -f8-22 <<<"$drawn")" ] && echo yes || echo no)"

# -- a RESULT is run again, under jitter that it had not -------------------------------------------------
"$orrery" run "${job[@]}" --format json --quiet >"$scratch/result.json"
row 0 "" vary "$scratch/result.json" --op-jitter 0.1 --rank-jitter 0.05 --start-delay 2us --seed 4 --samples 22 --until 0 --format json --quiet
judge "a RESULT has the samples of its job" \
    "$([ "$drawn" = "$(sed -n 's/.*"makespan_ps": \[\(.*\)\].*/\1/p' "$scratch/out" | tr -d ' ')" ] && echo yes || echo no)"
row 0 "" vary "$scratch/result.json" "$scratch/result.json" --rank-jitter 0.05 --samples 20 --quiet
says "ranking: time of a run"

# -- each source alone is a run with it alone --------------------------------------------------------
row 0 "" vary "${varied[@]}" --samples 4 --until 0 --format json --quiet --sources
alone=$(sed -n '/"what": "ops 10 %"/{n;s/.*"ps": \([0-9.]*\).*/\1/p}' "$scratch/out")
row 0 "" vary "${job[@]}" --op-jitter 0.1 --seed 4 --samples 4 --until 0 --format json --quiet
mean=$(sed -n 's/.*"mean": {"ps": \([0-9.]*\).*/\1/p' "$scratch/out")
judge "ops alone: $alone is $mean" "$([ -n "$mean" ] && [ "$alone" = "$mean" ] && echo yes || echo no)"

# -- trees that exchanges stand for are said ----------------------------------------------------------
row 0 "" check llama3-8b --cluster preset:dgx-h100,nodes=128 --plan tp=8,seq=8192,global-batch=256 --op-jitter 0.01
says "exchanges that stand for a library's trees, under jitter"
row 0 "" check llama3-8b --cluster preset:dgx-h100,nodes=128 --plan tp=8,seq=8192,global-batch=256
lacks "under jitter"

row 0 "ignored: what varies, or is slow for a time" plan llama3-8b preset:dgx-h100,nodes=1 --top 1 --simulate 0 --op-jitter 0.05

# -- no jitter is the plain run, and a rank that is not slow is none ----------------------------------
command='/"command": \[/,/\]/d'
"$orrery" run "${job[@]}" --format json --quiet | sed "$command" >"$scratch/plain"
"$orrery" run "${job[@]}" --op-jitter 0 --format json --quiet | sed -e "$command" -e '/"variation\./d' >"$scratch/none"
judge "a jitter of 0 changes nothing" "$(cmp -s "$scratch/plain" "$scratch/none" && echo yes || echo no)"
for form in text csv; do
    "$orrery" run "${job[@]}" --format $form --quiet >"$scratch/plain"
    "$orrery" run "${job[@]}" --op-jitter 0.2 --jitter none --format $form --quiet >"$scratch/none"
    judge "nor does --jitter none ($form)" "$(cmp -s "$scratch/plain" "$scratch/none" && echo yes || echo no)"
done

# -- a file says the same -----------------------------------------------------------------------------
cat >"$scratch/cluster.yaml" <<'YAML'
network:
  topology: preset:dgx-h100,nodes=1
variation:
  op-jitter: 0.1
  rank-jitter: 0.05
  start-delay: 2us
  seed: 4
  slow-ranks: ["ranks 0-3: 1.1x", "rank 5: 1.2x from 10ms"]
YAML
from_file=$("$orrery" run llama3-8b --cluster "$scratch/cluster.yaml" --plan tp=8,global-batch=1,seq=4096 --quiet | grep ^makespan)
from_words=$("$orrery" run "${varied[@]}" --slow-ranks "ranks 0-3: 1.1x; rank 5: 1.2x from 10ms" --quiet | grep ^makespan)
judge "the file's section says the same: $from_file" "$([ "$from_file" = "$from_words" ] && echo yes || echo no)"

# -- what is slow for a time folds where ranks are slow alike -----------------------------------------
slow_rows() {
    cat <<'ROWS'
16|nodes=16|tp=8,seq=4096,global-batch=32|--slow-ranks|ranks 72-79: 1.5x from 20ms to 120ms
8|nodes=8|tp=8,pp=8,seq=4096,global-batch=32|--slow-ranks|ranks 8-15: 1.2x
8|nodes=4|dp=8,tp=4,seq=4096,global-batch=32|--slow-links|node leaf0: bw*0.5 from 20ms to 60ms; node leaf1: bw*0.5 from 20ms to 60ms
ROWS
}
while IFS='|' read -r classes nodes plan option lines; do
    for fold in "" --no-fold; do
        # shellcheck disable=SC2086 # no word, or one
        "$orrery" run llama3-8b --cluster "preset:dgx-h100,$nodes" --plan "$plan" "$option" "$lines" $fold --quiet \
            >"$scratch/run$fold"
    done
    judge "$plan under \"$lines\" folds to $classes classes" \
        "$(grep -q "simulated $classes class" "$scratch/run" && echo yes || echo no)"
    judge "and says what the unfolded run says" \
        "$(cmp -s <(grep -v '^  simulated' "$scratch/run") <(grep -v '^  simulated' "$scratch/run--no-fold") && echo yes || echo no)"
done < <(slow_rows)

# -- what is under jitter can be explained ------------------------------------------------------------
row 0 "" explain "${varied[@]}" --quiet
says "critical path of"

# -- samples of a study's points are those of orrery vary -------------------------------------------------
cat >"$scratch/study.yaml" <<'YAML'
base: {model: llama3-8b, cluster: "preset:dgx-h100,nodes=1", plan: "global-batch=1,seq=4096", variation.op-jitter: 0.1,
       variation.rank-jitter: 0.05, variation.start-delay: 2us, variation.seed: 4, samples: 22}
axes: {plan.tp: [8, 4]}
YAML
row 0 "" sweep "$scratch/study.yaml" --store "$scratch/study.db" --quiet
row 0 "" results "$scratch/study.db" --where 'plan.tp == 8' --columns time_s,time_p50_s,time_p95_s --format csv
here=$(sed -n '$p' "$scratch/out")
there=$(tr ',' '\n' <<<"$drawn" | sort -n | awk -v first="${drawn%%,*}" '
    { time[NR - 1] = $1 }
    function at(p,  h) { h = (NR - 1) * p; return time[int(h)] + (h - int(h)) * (time[int(h) + 1] - time[int(h)]) }
    END { printf "%.9g,%.9g,%.9g\n", first / 1e12, at(0.5) / 1e12, at(0.95) / 1e12 }')
same=$(awk -F, -v other="$there" '{ split(other, o, ","); good = 1
    for (i = 1; i <= 3; i++) if ($i - o[i] > 1e-8 || o[i] - $i > 1e-8) good = 0
    print good ? "yes" : "no" }' <<<"$here")
judge "time_s, median and p95 of the point are $there: $here" "$same"
row 0 "" results "$scratch/study.db" --sort time_p95_s
sed -i 's/variation.op-jitter: 0.1/variation.op-jitter: 0/; s/variation.rank-jitter: 0.05/variation.rank-jitter: 0/; s/2us/0us/' "$scratch/study.yaml"
row 0 "" sweep "$scratch/study.yaml" --store "$scratch/other.db" --quiet
row 0 "" results "$scratch/other.db" --columns state,reason
says "several samples, and nothing random varies"

row 0 "oddity: a job that does not fit in its devices' memory" \
    vary llama3-70b --cluster preset:dgx-h100,nodes=1 --plan tp=8,global-batch=1,seq=4096 --op-jitter 0.1 --samples 2

# -- mistakes -----------------------------------------------------------------------------------------
row 2 "nothing varies in llama3-8b" vary "${job[@]}"
row 2 "--until: expected a ratio" vary "${varied[@]}" --until soon
row 2 "--samples: expected 1 to 100000" vary "${varied[@]}" --samples 0
row 2 "--workers: expected 1 to" vary "${varied[@]}" --workers none
row 2 "--format: expected text or json" vary "${varied[@]}" --format csv
row 2 "--op-jitter: expected a number from 0 to 1" vary "${job[@]}" --op-jitter 5
row 2 "--jitter: expected lognormal" vary "${job[@]}" --jitter gaus
row 4 "a normal distribution goes below 0" vary "${job[@]}" --op-jitter 0.5 --jitter normal
row 4 "there is no rank 9: the job has 8" check "${job[@]}" --slow-ranks "rank 9: 2x"
row 4 'variation.slow-links "npu0->x: bw*0.5": the topology has no node "x"' check "${job[@]}" --slow-links "npu0->x: bw*0.5"
row 4 "there is no rank 9: the job has 8" run "${job[@]}" --slow-ranks "rank 9: 2x"
row 4 "ends before it begins" run "${job[@]}" --slow-ranks "rank 1: 2x from 3ms to 2ms"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
