#!/usr/bin/env bash
# orrery diff on the command line: every table of JSON sums to the ends of both runs to the picosecond, also of jobs with
# different numbers of ranks and of points of a study; the same twice; what cannot be is refused.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery=$(realpath "${ORRERY:-build/release/orrery}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

result() { # FILE ARGUMENTS..
    local file="$scratch/$1"
    shift
    row 0 "" run "$@" --quiet --format json --output "$file"
}

# sums A B [TABLES]: of the last report, whose runs end at A and B.
sums() {
    local good
    good=$(awk -v a="$1" -v b="$2" -v want="${3:-12}" '
        function check() { if (table) { tables++; if (sum_a != a || sum_b != b) bad = bad " " table } }
        /^    "[a-z_]+": \[$/ && !/notices/ { table = $1; sum_a = sum_b = 0 }
        table && match($0, /"a_ps": [0-9]+/) { sum_a += substr($0, RSTART + 8, RLENGTH - 8) }
        table && match($0, /"b_ps": [0-9]+/) { sum_b += substr($0, RSTART + 8, RLENGTH - 8) }
        /^    \]/ { check(); table = "" }
        END { print tables == want && !bad ? "yes" : "no" bad }
    ' "$scratch/out")
    judge "tables sum to $1 and $2 ps" "$good"
}

end_of() {
    sed -n 's/^  "end_ps": \([0-9]*\),/\1/p' "$scratch/$1"
}

# -- generated jobs: another plan, another cluster ---------------------------------------------------------
result a.json llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=8,global-batch=4,seq=2048
result b.json llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=4,pp=2,global-batch=4,seq=2048
result c.json llama3-8b --cluster preset:dgx-h100,nodes=2 --plan tp=4,pp=4,global-batch=4,seq=2048 --no-fold
for pair in "a b" "b a" "a c" "c b"; do
    # shellcheck disable=SC2086 # two words
    set -- $pair
    row 0 "" diff "$scratch/$1.json" "$scratch/$2.json" --quiet --format json
    sums "$(end_of "$1.json")" "$(end_of "$2.json")"
done
row 0 "" diff "$scratch/a.json" "$scratch/b.json" --quiet
says "plan.tp"
says "pipeline bubble"
says "most of it: pipeline bubble"
cp "$scratch/out" "$scratch/first"
row 0 "" diff "$scratch/a.json" "$scratch/b.json" --quiet --output "$scratch/second"
judge "the same twice" "$(cmp -s "$scratch/first" "$scratch/second" && echo yes || echo no)"
row 0 "" diff "$scratch/a.json" "$scratch/a.json" --quiet
says "B takes as long as A, to the picosecond"
says "the inputs are the same"

# -- one slow rank: its own row comes first ------------------------------------------------------------------
result d.json llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=8,global-batch=4,seq=2048 \
    --set "variation.slow-ranks=rank 3: 1.5x"
row 0 "" diff "$scratch/a.json" "$scratch/d.json" --quiet --top 1
says "variation.slow-ranks"
grep -A 1 "rank, B - A" "$scratch/out" | grep -q '^  3 ' && good=yes || good=no
judge "the slow rank is first" "$good"

# -- folding changes nothing: not a picosecond of any row -----------------------------------------------------
cat >"$scratch/f1.yaml" <<'YAML'
network: {topology: "rail:8x4", backend: flow}
system: {device: h100-sxm, library: h100-dgx}
YAML
{ cat "$scratch/f1.yaml"; echo "run: {fold: false}"; } >"$scratch/f2.yaml"
for i in 1 2; do
    result "f$i.json" llama3-8b --cluster "$scratch/f$i.yaml" --plan tp=4,pp=2,global-batch=16,seq=4096,zero=1
done
grep -q "simulated 2 classes" "$scratch/f1.json" && good=yes || good=no
judge "the first is folded" "$good"
row 0 "" diff "$scratch/f1.json" "$scratch/f2.json" --quiet --format json
sums "$(end_of f1.json)" "$(end_of f2.json)"
good=$(awk '/"mean_rank": / { inside = 1 } /"critical_path": / { inside = 0 }
    inside && /"difference_ps"/ { rows++; if ($0 !~ /"difference_ps": 0}/) bad++ }
    END { good = (rows > 50 && !bad); print(good ? "yes" : "no") }' "$scratch/out")
judge "folding changes no row" "$good"

# -- points of a study ---------------------------------------------------------------------------------------
cat >"$scratch/s.yaml" <<'YAML'
base: {job: llama3-8b, cluster: "preset:dgx-h100,nodes=1", plan: "global-batch=4,seq=2048"}
axes: {plan.tp: [4, 8], system.launch-overhead: [4us, 40us]}
YAML
row 0 "" sweep "$scratch/s.yaml" --quiet
row 0 "" diff "$scratch/s.db:2" "$scratch/s.db:3" --quiet
says "system.launch-overhead  4000 ns  40000 ns"
says "most of it: host"

# -- refused -------------------------------------------------------------------------------------------------
row 2 "two results are needed" diff "$scratch/a.json"
row 2 "two results are accepted" diff "$scratch/a.json" "$scratch/b.json" "$scratch/c.json"
row 2 "expected text or json" diff "$scratch/a.json" "$scratch/b.json" --format csv
row 2 "expected 1 to 100000 rows" diff "$scratch/a.json" "$scratch/b.json" --top 0
row 2 "is the result of this run" diff "$scratch/a.json" "$scratch/b.json" --output "$scratch/b.json"
row 5 "no.json" diff "$scratch/a.json" "$scratch/no.json"
sed 's/"end_ps": /&1/' "$scratch/b.json" >"$scratch/e.json"
row 3 "e.json: the run ends at" diff "$scratch/a.json" "$scratch/e.json"
row 13 "wall limit" diff "$scratch/a.json" "$scratch/c.json" --wall-limit 1us
row 2 "did you mean --format" diff --fromat json a b

echo "diff: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
