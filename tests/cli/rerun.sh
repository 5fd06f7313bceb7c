#!/usr/bin/env bash
# A RESULT (src/cli/rerun.h) is run again: reports of run and explain, points of a study; it must end as it did, and
# what has changed since is said by name.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery=$(realpath "${ORRERY:-build/release/orrery}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

same() { # NAME A B
    local good=no
    cmp -s "$2" "$3" && good=yes
    judge "$1" "$good"
}

# -- a job: run, run again, explain, explain again -------------------------------------------------------
# shellcheck disable=SC2054 # a comma of a word
job=(llama3-8b --cluster preset:dgx-h100,nodes=1 --plan tp=4,pp=2,global-batch=2,seq=2048)
json=(--format json --quiet --output)
row 0 "" run "${job[@]}" --set system.launch-overhead=3us --no-fold "${json[@]}" "$scratch/a.json"
row 0 "" run "$scratch/a.json" "${json[@]}" "$scratch/b.json"
grep -v '"fold"' "$scratch/a.json" >"$scratch/a"
grep -v '"fold"' "$scratch/b.json" >"$scratch/b"
same "a report that is run again is the same, but for how it was folded" "$scratch/a" "$scratch/b"
row 0 "" explain "$scratch/a.json" "${json[@]}" "$scratch/c.json"
row 0 "" explain "$scratch/c.json" "${json[@]}" "$scratch/d.json"
row 0 "" explain "${job[@]}" --set=system.launch-overhead=3us "${json[@]}" "$scratch/e.json"
same "explain of an explanation" "$scratch/c.json" "$scratch/d.json"
same "explain of a report is that of its words" "$scratch/c.json" "$scratch/e.json"
row 0 "" explain "$scratch/a.json" --quiet --free rank:3
says "rank:3"

# -- it must end as it did -------------------------------------------------------------------------------
sed 's/"end_ps": /"end_ps": 1/' "$scratch/a.json" >"$scratch/f.json"
row 3 "ps then" run "$scratch/f.json" --quiet
row 3 "the program is another" explain "$scratch/f.json" --quiet
sed -i 's/"orrery_version": "/&0.0./' "$scratch/f.json"
row 3 "written by orrery 0.0." run "$scratch/f.json" --quiet

# -- what is refused -------------------------------------------------------------------------------------
row 2 "no others can be given" run "$scratch/a.json" --plan tp=8
row 2 "no others can be given" explain "$scratch/a.json" --no-fold
grep -v '"--' "$scratch/a.json" >"$scratch/g.json"
row 2 "needs the cluster" run "$scratch/g.json"
sed 's/"command"/"words"/' "$scratch/a.json" >"$scratch/g.json"
row 3 "cannot be run again" run "$scratch/g.json"
sed 's/"--plan=/"--plam=/' "$scratch/a.json" >"$scratch/g.json"
row 3 "g.json: unknown option --plam" run "$scratch/g.json"
head -c 500 "$scratch/a.json" >"$scratch/g.json"
row 4 "JSON syntax" explain "$scratch/g.json"
row 2 "there is no setting" run "${job[@]}" --set system.lunch-overhead=3us
row 2 "system.launch-overhead" run "${job[@]}" --set system.launch-overhead=3parsecs
row 2 "expected KEY=VALUE" run "${job[@]}" --set system.launch-overhead

# -- traces: paths are relative to where the run was, and inputs that have changed are named ----------------
cp -r tests/golden/inputs "$scratch/w"
cat >"$scratch/w/w.json" <<'JSON'
{"workload_graph": [{"Id": 0, "Name": "n0", "NodeType": 7, "comm_type": 0, "comm_size": 1048576}]}
JSON
for r in 0 1 2 3; do cp "$scratch/w/w.json" "$scratch/w/t.$r.et"; done
cd "$scratch/w" || exit 1
row 0 "" run --workload t --network ring4.yml --system ring.json "${json[@]}" r.json
row 0 "" run r.json --quiet
cp r.json ..
cd .. || exit 1
row 5 "relative to the folder in which that command ran" run r.json
cd w || exit 1
sed -i 's/1048576/2097152/' t.*.et
row 3 "other inputs than then: t.0.et" run r.json --quiet
sed -i 's/2097152/1048576 /' t.*.et
row 0 "input that has changed since the result was stored, 1 time: t.0.et" run r.json --format astra
cat >c.yaml <<'YAML'
workload: {traces: t}
network: {dims: [{block: Ring, npus: 4, bandwidth: 50GB/s, latency: 500ns}]}
system: {dataset-splits: 4, collectives: {all-reduce: ring}}
YAML
row 0 "" run c.yaml --set 'network.dims[0].bandwidth=25GB/s' --set system.endpoint-delay=0ns \
    "${json[@]}" h.json
row 0 "" run c.yaml --quiet --set system.collectives.all-reduce=direct
row 0 "" run h.json --quiet
row 2 "is a place of a file in our form" run --workload t --network ring4.yml --system ring.json --set \
    system.collectives.all-reduce=direct

for end in '"x"' 1.5 18446744073709551621 null -1; do
    sed "s/^  \"end_ps\": .*/  \"end_ps\": $end,/" h.json >edited.json
    row 3 "no whole number of ps" run edited.json --quiet
    row 3 "no whole number of ps" explain edited.json --quiet
done

for command in '[]' '[""]'; do
    sed "/^  \"command\": \[/,/^  \]/c\  \"command\": $command," h.json >edited.json
    row 3 "edited.json: a report of schema" run edited.json --quiet
done

# -- a point of a study ----------------------------------------------------------------------------------
cat >s.yaml <<'YAML'
base: {config: c.yaml}
axes:
  "network.dims[0].bandwidth": [25GB/s, 50GB/s]
  system.endpoint-delay: [0ns, 10ns, -1ns]
YAML
row 0 "" sweep s.yaml --quiet
row 0 "" sweep s.yaml --quiet
says "6 from the store"
row 0 "" run s.db:0 "${json[@]}" p.json
row 0 "" run p.json "${json[@]}" q.json
same "a point's report is run again" p.json q.json
same "a point is what its words are" <(grep '^  "end_ps' p.json) <(grep '^  "end_ps' h.json)
id=$("$orrery" results s.db --columns identity --format csv | sed -n 2p)
row 0 "" explain "s.db:${id:0:12}" --quiet
says "critical path"
row 2 "say which" run s.db
row 2 "expected 0 to 5" run s.db:6
row 2 "expected 0 to 5" run s.db:zzzz
row 3 "has no result" run s.db:2
# What ends in .db is a store, whether it is one or not.
: >empty.db
row 5 "absent.db: the store cannot be opened" explain absent.db:3
row 5 "absent.db: the store cannot be opened" plot absent.db --chart scaling --output x.svg
row 3 "empty.db: a database, but no store" run empty.db:1
row 3 "empty.db: a database, but no store" plot empty.db --chart scaling --output x.svg
cd "$OLDPWD" || exit 1

echo "rerun: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
