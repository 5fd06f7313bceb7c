#!/usr/bin/env bash
# orrery serve: its command line here; requests, streams, a running sweep and a browser in tests/serve.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
export ORRERY="$orrery" PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
trap 'kill %% 2>/dev/null; rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

# -- what is refused -------------------------------------------------------------------------------
cat >"$scratch/study.yaml" <<'END'
base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=1
  plan: seq=2048,global-batch=32,zero=1
axes:
  plan.tp: [1, 2, 4, 8]
  plan.pp: [1, 2]
  plan.micro-batch: [1, 2, 4]
END
store=$scratch/study.db
row 0 "" sweep "$scratch/study.yaml" --store "$store" --quiet
echo nothing >"$scratch/nothing.db"
row 2 "a store is needed" serve
row 5 "cannot be opened" serve "$scratch/absent.db"
row 3 "not a database" serve "$scratch/nothing.db"
row 2 "expected ADDRESS:PORT" serve "$store" --listen localhost:80
row 2 "expected ADDRESS:PORT" serve "$store" --listen 127.0.0.1
row 2 "expected 1ms or more" serve "$store" --open-for soon
row 2 "expected 1ms or more" serve "$store" --point-limit 0s
row 5 "does not have that address" serve "$store" --listen 192.0.2.1:0
row 0 "" serve "$store" --open-for 10ms
says "http://127.0.0.1:"
row 0 "there is no password" serve "$store" --open-for 10ms --listen 0.0.0.0:0
says "http://localhost:"

# -- the examples of --help, and how it ends -------------------------------------------------------
while read -ra words; do
    line=${words[*]:1}
    line=${line/study.db/$store}
    for how in INT TERM; do
        good=no
        rm -f "$scratch/out"
        # shellcheck disable=SC2086 # words of an example
        "$orrery" $line >"$scratch/out" 2>"$scratch/err" &
        for _ in $(seq 100); do
            [ -s "$scratch/out" ] && break
            sleep 0.02
        done
        kill -"$how" $! && wait $! && grep -q '^http://.*/$' "$scratch/out" && good=yes
        judge "an example of serve, ended by SIG$how: $line" "$good"
    done
done < <("$orrery" serve --help | sed -n '/^Examples:/,$ s/^ *\(orrery .*\)/\1/p')

# -- the rest ----------------------------------------------------------------------------------------
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    skipped=$((skipped + 1))
else
    parts=(hostile live browsed)
    for part in "${parts[@]}"; do
        python3 "tests/serve/$part.py" "$store" >"$scratch/$part" 2>&1 &
    done
    wait
    for part in "${parts[@]}"; do
        cat "$scratch/$part"
        if [[ $(tail -1 "$scratch/$part") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
            passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + BASH_REMATCH[3]))
        else
            failed=$((failed + 1))
        fi
    done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
