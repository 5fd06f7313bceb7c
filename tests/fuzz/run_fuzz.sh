#!/usr/bin/env bash
# run_fuzz.sh DIR SECONDS - runs every fuzz program in DIR for SECONDS, starting from its corpus.
# What it finds goes to DIR/found; the corpus in the repository is not touched.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
dir="$1"
seconds="$2"

passed=0
failed=0
for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    program="$dir/$name"
    mkdir -p "$dir/found" "$dir/work/$name" "tests/fuzz/corpus/$name"
    if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 \
        -max_len=16384 -artifact_prefix="$dir/found/$name-" -verbosity=0 -print_final_stats=1 \
        "$dir/work/$name" "tests/fuzz/corpus/$name" >"$dir/$name.log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name.log")
        echo "$name: ${runs:-0} inputs, none broke it"
        passed=$((passed + 1))
    else
        echo "$name FAILED:"
        tail -n 30 "$dir/$name.log"
        failed=$((failed + 1))
    fi
done
echo "fuzz: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
