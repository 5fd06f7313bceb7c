#!/usr/bin/env bash
# run_fuzz.sh DIR SECONDS [RUNS] - runs every fuzz program in DIR for SECONDS, starting from its corpus
# and what earlier runs found worth keeping. With RUNS it makes so many runs from a fixed seed and the
# kept corpus alone: the same inputs every time, for `make check`.
# What breaks a program goes to DIR/found; the corpus in the repository is not touched.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
dir="$1"
seconds="$2"
runs="${3:-}"

passed=0
failed=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    program="$dir/$name"
    work="$dir/work/$name"
    how=()
    if [ -n "$runs" ]; then
        work="$dir/fresh/$name"
        rm -rf "$work"
        how=(-seed=1 -runs="$runs")
    fi
    mkdir -p "$dir/found" "$work" "tests/fuzz/corpus/$name"
    if "$program" "${how[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 \
        -max_len=16384 -artifact_prefix="$dir/found/$name-" -verbosity=0 -print_final_stats=1 \
        "$work" "tests/fuzz/corpus/$name" >"$dir/$name.log" 2>&1; then
        inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name.log")
        echo "$name: ${inputs:-0} inputs, none broke it"
        passed=$((passed + 1))
    else
        echo "$name FAILED:"
        tail -n 30 "$dir/$name.log"
        failed=$((failed + 1))
    fi
done
echo "fuzz: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
