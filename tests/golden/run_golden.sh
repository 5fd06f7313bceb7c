#!/usr/bin/env bash
# run_golden.sh [--update] [FOLDER..] - runs golden cases and compares what they print.
#
# A case is a folder below tests/golden/ with
#   cmd            one shell command, run from the repository with $ORRERY (the program), $TOOLS
#                  (test tools), $CASE (the folder) and $TMP (an empty folder); pipefail is on
#   why            one sentence: what this case protects
#   expected       its standard output, to the byte
#   expected_exit  its exit code (absent: 0)
#   expected_err   optional: its standard error, to the byte
# --update writes expected, expected_exit (and expected_err if it is there) from what happens now:
# read the difference before committing it.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export ORRERY="${ORRERY:-build/release/orrery}" TOOLS="${TOOLS:-build/release/tests/tools}"
export LC_ALL=C

update=no
if [ "${1:-}" = --update ]; then
    update=yes
    shift
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

passed=0
failed=0

# same CASE FILE ACTUAL: compares, or rewrites.
same() {
    [ "$update" = yes ] && cp "$3" "$1/$2"
    diff -u --label "$1/$2" --label actual "$1/$2" "$3"
}

run_case() {
    local case="$1" rc=0 good=yes
    export CASE="$case" TMP="$scratch/tmp"
    rm -rf "$TMP"
    mkdir "$TMP"
    timeout -k 5 60 bash -o pipefail "$case/cmd" >"$scratch/out" 2>"$scratch/err" </dev/null || rc=$?
    echo "$rc" >"$scratch/rc"
    [ -s "$case/why" ] || { echo "$case/why is missing or empty"; good=no; }
    same "$case" expected "$scratch/out" || good=no
    if [ -f "$case/expected_exit" ] || [ "$rc" -ne 0 ]; then
        same "$case" expected_exit "$scratch/rc" || good=no
    fi
    if [ -f "$case/expected_err" ]; then
        same "$case" expected_err "$scratch/err" || good=no
    fi
    if [ "$good" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $case: $(cat "$case/why" 2>/dev/null)"
        head -n 20 "$scratch/err"
    fi
}

if [ $# -eq 0 ]; then
    mapfile -t cases < <(find tests/golden -name cmd -printf '%h\n' | sort)
    set -- "${cases[@]}"
fi
for case in "$@"; do
    run_case "${case%/}"
done
echo "golden: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
