#!/usr/bin/env bash
# The checks of the house rules and the test runner find what they are for: each is given a small
# tree or program with one offence.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# expect WANT_EXIT(0|1) TEXT COMMAND..: exit code zero or not, and the text in what it prints.
expect() {
    local want="$1" text="$2" rc=0
    shift 2
    "$@" >"$scratch/out" 2>&1 || rc=1
    if [ "$rc" -eq "$want" ] && { [ -z "$text" ] || grep -qF -- "$text" "$scratch/out"; }; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: wanted exit $want and \"$text\" of: $*"
        head -n 10 "$scratch/out"
    fi
}

# tree FILE TEXT: a fresh tree with the scripts and one source file.
tree() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch"/tree/{scripts,tests,net,compute,workloads,src/{base,sim,net,cli}}
    cp scripts/check-rooms scripts/check-headers "$scratch/tree/scripts/"
    cp src/ARCHITECTURE.md "$scratch/tree/src/"
    printf '#include "base/a.h"\n' >"$scratch/tree/src/sim/good.c"
    printf '%b' "$2" >"$scratch/tree/$1"
}
rooms=("$scratch/tree/scripts/check-rooms")
headers=("$scratch/tree/scripts/check-headers")

tree src/base/a.c '#include <stdio.h>\n#include "base/a.h"\n'
expect 0 "" "${rooms[@]}"
tree src/base/a.c '#include "sim/engine.h"\n'
expect 1 "src/base/a.c:1: room base includes sim/engine.h" "${rooms[@]}"
tree net/a.c '\n  #  include "compute/a.h"\n'
expect 1 "net/a.c:2: room net includes compute/a.h" "${rooms[@]}"
tree src/base/a.c '#include "a.h"\n'
expect 1 "write the path from the room on" "${rooms[@]}"
tree src/base/a.c '#include <curl/curl.h>\n'
expect 1 "not a library of this project" "${rooms[@]}"
tree src/cli/a.c '#include <zlib.h>\n'
printf '#include <zlib.h>\n' >"$scratch/tree/src/base/z.c"
expect 1 "zlib.h is included by 2 rooms" "${rooms[@]}"
mkdir "$scratch/tree/src/attic" && touch "$scratch/tree/src/attic/a.c"
printf '#include <stdio.h>\n' >"$scratch/tree/src/attic/a.c"
expect 1 "room attic is not in the line of rooms" "${rooms[@]}"

tree src/base/a.h '#include <stdint.h>\nuint32_t a(void);\n'
expect 0 "1 passed, 0 failed" "${headers[@]}"
tree src/base/a.h 'uint32_t a(void);\n'
expect 1 "src/base/a.h does not compile alone" "${headers[@]}"

# ./orrery is the release build, whatever else is built.
links() { env -u MAKEFLAGS -u MAKELEVEL -u MODE make -n "$@" all | grep -c 'ln -sf'; }
expect 0 "1" links
expect 1 "0" links MODE=asan

# The runner: counts of closing lines, exit codes, and a program that crashes after its closing line.
export LOGS="$scratch/logs"
printf 'echo "x: 2 passed, 0 failed, 1 skipped"\n' >"$scratch/good"
printf 'echo "3 passed, 1 failed"; exit 1\n' >"$scratch/bad"
printf 'echo "5 passed, 0 failed, 0 skipped"; kill -SEGV $$\n' >"$scratch/crash"
printf 'exit 77\n' >"$scratch/skip"
expect 0 "3 passed, 0 failed, 2 skipped" "$root/tests/run_all" \
    "a=bash $scratch/good" "b=true" "c=bash $scratch/skip"
expect 1 "5 passed, 1 failed, 1 skipped" "$root/tests/run_all" \
    "a=bash $scratch/good" "b=bash $scratch/bad"
expect 1 "5 passed, 1 failed, 0 skipped" "$root/tests/run_all" "a=bash $scratch/crash"
expect 1 "0 passed, 1 failed, 0 skipped" "$root/tests/run_all" "a=false"
expect 1 "0 passed, 0 failed, 0 skipped" "$root/tests/run_all"
echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
