#!/usr/bin/env bash
# What the command line accepts, refuses and says: one row per command.
#   row EXIT "TEXT THAT STANDARD ERROR HOLDS" ARGUMENTS..   (text "" : standard error is empty)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

cat >"$scratch/w.json" <<'JSON'
{"workload_graph": [{"Id": 0, "Name": "n0", "NodeType": 7, "comm_type": 0, "comm_size": 1048576}]}
JSON
for r in 0 1 2 3; do cp "$scratch/w.json" "$scratch/t.$r.et"; done
net=tests/golden/inputs/ring4.yml
sys=tests/golden/inputs/ring.json
w=$scratch/t
files=(--workload "$w" --network "$net" --system "$sys")
cat >"$scratch/c.yaml" <<YAML
workload: {traces: t}
network: {dims: [{block: Ring, npus: 4, bandwidth: 50GB/s, latency: 500ns}]}
system: {dataset-splits: 4, collectives: {all-reduce: ring}}
YAML

# -- commands ---------------------------------------------------------------------------------
row 2 "no command was given"
row 2 'did you mean "run"?' rnu
row 2 "see orrery help" frobnicate
row 0 "" --version
says "orrery 0."
row 0 "" --help
says "check"
row 0 "" help
row 0 "" help run
says "--workload PREFIX"
row 2 'unknown command "walk"' help walk
row 2 "one word is accepted" help run check
for c in run check info list help; do
    row 0 "" "$c" --help
    says "Examples:"
    row 0 "" "$c" -h
done
row 2 "did you mean --help" list --hlp

# -- list -------------------------------------------------------------------------------------
row 0 "" list
says "exit codes"
for t in models collectives algorithms topologies formats exit-codes settings host; do
    row 0 "" list "$t"
done
row 2 'did you mean "models"?' list model
row 2 "one word is accepted" list models formats

# -- run: good --------------------------------------------------------------------------------
row 0 "" run "${files[@]}"
says "makespan"
row 0 "" run --workload="$w" --network="$net" --system="$sys" --format=astra
says "sys[3] finished, 43000 cycles"
row 0 "" run "$scratch/c.yaml" --format json
says '"schema_version": "orrery.run/2"'
row 0 "" run "$scratch/c.yaml" --workload "$w" --network-backend congestion-aware --no-fold
row 0 "" run --format csv "${files[@]}" --replicate=false --rendezvous-protocol=false
row 0 "" run "${files[@]}" --print-config
says "system.endpoint-delay"
row 0 "" run "${files[@]}" --print-config --injection-scale 2.5 --deps both --num-queues-per-dim=2
says "25 ns"
says "command line"
row 0 "" run "${files[@]}" --all-ranks --host-figures --quiet
row 0 "" run --workload "$w.0.et" --replicate --network "$net" --system "$sys"
row 0 "" run -- "$scratch/c.yaml"
row 0 "option without effect" --workload-configuration="$w" --system-configuration="$sys" \
    --network-configuration="$net" --comm-scale=2 --compute-scale 3 --logging-folder log \
    --logging-configuration=x --comm-group-configuration=empty
says "sys[0] finished, 43000 cycles, exposed communication 43000 cycles."
row 0 "which means none in ASTRA-sim" run "${files[@]}" --format astra \
    --comm-group-configuration /nonexistent/empty.json

# -- run: mistakes ----------------------------------------------------------------------------
row 2 "--workload PREFIX is missing" run
row 2 "--network FILE is missing" run --workload "$w" --system "$sys"
row 2 "--system FILE is missing" run --workload "$w" --network "$net"
row 2 "did you mean --max-time?" run "${files[@]}" --max-tiem 1us
row 2 "did you mean --network-configuration?" run --network-configuraton=x
row 2 "see orrery run --help" run --zzzzzzzzzzz
row 2 "unknown option -x" run -x
row 2 "--workload: expected PREFIX after it" run --workload
row 2 "--workload: expected PREFIX after it" run --workload --replicate
row 2 "--workload: expected PREFIX, found nothing" run --workload=
row 2 "takes no value" run "${files[@]}" --no-fold=true
row 2 "expected true or false" run "${files[@]}" --replicate=maybe
row 2 "expected auto, data, control or both" run "${files[@]}" --deps none
row 2 "expected a duration" run "${files[@]}" --max-time soon
row 2 "expected an integer from 1 to 1024" run "${files[@]}" --num-queues-per-dim 0
row 2 "expected congestion-unaware, congestion-aware, ideal" run "${files[@]}" --network-backend fast
row 2 "expected text, json, csv or astra" run "${files[@]}" --format xml
row 2 "--framework: is for a generated job" run "${files[@]}" --framework nemo-25
row 2 "--injection-scale: expected a number" run "${files[@]}" --injection-scale=-1
row 2 "--wall-limit" run "${files[@]}" --wall-limit 0s
row 2 "cannot be combined with the configuration file" run "$scratch/c.yaml" --network "$net"
row 2 "cannot be combined with the configuration file" run "$scratch/c.yaml" --system "$sys"
row 2 "one configuration file is accepted" run "$scratch/c.yaml" "$scratch/c.yaml"
echo "network: {dims: [{block: Ring, npus: 4, bandwidth: 5GB/s, latency: 5ns}]}" >"$scratch/n.yaml"
row 2 "no traces were given" run "$scratch/n.yaml"

# -- run: files -------------------------------------------------------------------------------
row 5 "cannot open: No such file" run --workload "$w" --network /nonexistent.yml --system "$sys"
row 5 "it is a folder" run --workload "$w" --network "$scratch" --system "$sys"
row 5 "No such file" run "$scratch/absent.yaml"
row 5 "cannot write" run "${files[@]}" --output /nonexistent/report.txt
row 5 "it is a folder" run "${files[@]}" --output "$scratch"
row 4 "JSON syntax" run --workload "$w" --network "$net" --system "$net"
echo "[ 1 ]" >"$scratch/list.yml"
row 4 "expected a map" run --workload "$w" --network "$scratch/list.yml" --system "$sys"
printf 'network: {dims: [{block: Ring, npus: 4, bandwith: 5GB/s, latency: 5ns}]}' >"$scratch/b.yaml"
row 4 'did you mean "bandwidth"?' run "$scratch/b.yaml"
printf '{"1": [0, 0]}' >"$scratch/g.json"
row 4 "rank 0 is listed twice" run "${files[@]}" --comm-group "$scratch/g.json"
printf '{"1": [0, 1], "unused": [2, 4]}' >"$scratch/g.json"
for c in run check; do
    row 4 'group "unused": member 4 does not exist; the system has ranks 0 to 3' "$c" "${files[@]}" \
        --comm-group "$scratch/g.json"
done
row 5 "absent" run --workload "$scratch/absent" --network "$net" --system "$sys"
row 0 "" run "${files[@]}" --output "$scratch/report.txt"
good=yes
[ -s "$scratch/out" ] && good=no
grep -q makespan "$scratch/report.txt" || good=no
[ "$(find "$scratch" -name '*.tmp')" = "" ] || good=no
judge "--output writes one whole file" "$good"

# What is blamed has the name that it has in the form that was given.
six() { # SYSTEM
    cat >"$scratch/six.yaml" <<YAML
network: {dims: [{block: Ring, npus: 6, bandwidth: 50GB/s, latency: 500ns}]}
system: {$1}
YAML
}
replicated=("$scratch/six.yaml" --workload "$w.0.et" --replicate)
six "dataset-splits: 4, collectives: {all-reduce: halvingDoubling}"
row 4 "six.yaml:2: rank 0: node 0: system.collectives.all-reduce: halvingDoubling" check "${replicated[@]}"
six "dataset-splits: 4"
row 4 "add \`all-reduce: ring\` under system.collectives" check "${replicated[@]}"
six "collectives: {all-reduce: ring}"
row 4 "system.dataset-splits: a collective needs it" check "${replicated[@]}"
sed 's/"ring"/"halvingDoubling"/' "$sys" >"$scratch/halving.json"
sed 's/\[ 4 \]/[ 6 ]/' "$net" >"$scratch/six.yml"
row 4 "all-reduce-implementation[0]: halvingDoubling" check --workload "$w.0.et" --replicate \
    --network "$scratch/six.yml" --system "$scratch/halving.json"

mkdir "$scratch/gap" "$scratch/one_based"
for r in 0 1 3; do cp "$scratch/w.json" "$scratch/gap/t.$r.et"; done
for r in 1 2 3 4; do cp "$scratch/w.json" "$scratch/one_based/t.$r.et"; done
row 5 "hint: add the trace of rank 2" run "${files[@]}" --workload "$scratch/gap/t"
sed 's/\[ 4 \]/[ 16777216 ]/' "$net" >"$scratch/vast.yml" # millions of names would take minutes
row 5 "0 of the first 16384 ranks have a trace file" run --workload "$scratch/absent" \
    --network "$scratch/vast.yml" --system "$sys"
row 5 "ranks are numbered from 0" run "${files[@]}" --workload "$scratch/one_based/t"

# An input is never replaced, by whatever name it is given.
printf '{"g": [0, 1]}' >"$scratch/groups.json"
cp "$net" "$scratch/own.yml"
cp "$sys" "$scratch/own.json"
printf '{"memory-type": "NO_MEMORY_EXPANSION"}' >"$scratch/memory.json"
ln -s "$scratch/t.2.et" "$scratch/link.et"
ln "$scratch/own.yml" "$scratch/hard.yml"
own=(--workload "$w" --network "$scratch/own.yml" --system "$scratch/own.json"
    --comm-group "$scratch/groups.json" --remote-memory "$scratch/memory.json")
before=$(cat "$scratch"/t.*.et "$scratch"/{own.yml,own.json,groups.json,memory.json,c.yaml} | cksum)
for f in "$scratch"/{own.yml,own.json,groups.json,memory.json,hard.yml} "$scratch/./own.yml"; do
    row 2 "is a configuration file of this run" run "${own[@]}" --output "$f"
done
for f in "$scratch"/{t.0.et,t.3.et,link.et}; do
    row 2 "give the report a name of its own" run "${own[@]}" --output "$f"
done
row 2 "is a trace of this run" run "${own[@]}" --workload "$w.1.et" --replicate --output "$w.1.et"
row 2 "is a configuration file" run "$scratch/c.yaml" --output "$scratch/c.yaml"
row 2 "is a configuration file" run "$scratch/c.yaml" --print-config --output "$scratch/c.yaml"
good=no
[ "$before" = "$(cat "$scratch"/t.*.et "$scratch"/{own.yml,own.json,groups.json,memory.json,c.yaml} |
    cksum)" ] && good=yes
judge "an input that --output names stays as it is" "$good"
row 0 "" run "${own[@]}" --workload "$w.1.et" --replicate --output "$w.3.et"
cp "$scratch/w.json" "$scratch/t.3.et"

# More than the links of a rank can carry is said where the model allows it.
for a in ring direct; do
    sed "s/\"ring\"/\"$a\"/" "$sys" >"$scratch/$a.json"
done
sed 's/Ring/Switch/' "$net" >"$scratch/switch.yml"
row 0 "" run --workload "$w" --network "$scratch/switch.yml" --system "$scratch/direct.json"
says "oddity: bus bandwidth above that of a rank's links: this network model has no contention"
row 0 "" run --workload "$w" --network "$scratch/switch.yml" --system "$scratch/ring.json"
lacks "bus bandwidth"
row 0 "" run --workload "$w" --network "$scratch/switch.yml" --system "$scratch/direct.json" \
    --network-backend congestion-aware
lacks "bus bandwidth"

# -- limits -----------------------------------------------------------------------------------
row 13 "the limit of 20.00 us of simulated time was reached" run "${files[@]}" --max-time 20us
says "makespan"
row 0 "" run "${files[@]}" --max-time 1s

# A run that takes minutes, where the tool that makes its traces is built.
tools="${TOOLS:-build/release/tests/tools}"
if [ -x "$tools/make_trace" ]; then
    "$tools/make_trace" "$scratch/long" '{"gen": "skew", "npus": 256, "comm": "ALL_REDUCE",
        "size": 67108864, "count": 400, "base_us": 1, "spread_us": 9973}'
    sed 's/\[ 4 \]/[ 256 ]/' "$net" >"$scratch/net256.yml"
    long=(--workload "$scratch/long" --network "$scratch/net256.yml" --system "$sys")
    row 13 "the wall limit of 1200ms was reached" run "${long[@]}" --wall-limit 1200ms \
        --progress --output "$scratch/long.txt"
    good=yes
    grep -q "^orrery: simulated .* events/s" "$scratch/err" || good=no
    grep -q "^result *limit" "$scratch/long.txt" || good=no
    judge "--progress prints a line a second, and the report says what ended the run" "$good"
    row 13 "the wall limit of 0.1 was reached" run "${long[@]}" --wall-limit 0.1 --format astra
fi

# A limit on the size of files is an error of writing, not the end by a signal.
(
    ulimit -f 1
    rc=0
    "$orrery" run "${files[@]}" --format json --output "$scratch/limited.json" 2>"$scratch/err" || rc=$?
    exit "$rc"
) && rc=0 || rc=$?
good=no
[ "$rc" -eq 5 ] && ! compgen -G "$scratch/limited*" >/dev/null && good=yes
judge "a report larger than ulimit -f is exit 5 and leaves nothing (was $rc)" "$good"

# A signal while the traces are read (here: from a pipe that stays open).
mkfifo "$scratch/pipe"
sleep 30 >"$scratch/pipe" &
sleeper=$!
env --default-signal=INT "$orrery" info "$scratch/pipe" >"$scratch/out" 2>"$scratch/err" &
pid=$!
sleep 0.5
kill -s INT "$pid"
rc=0
wait "$pid" || rc=$?
kill "$sleeper"
good=no
[ "$rc" -eq 130 ] && grep -q interrupted "$scratch/err" && good=yes
judge "a signal while reading is exit 130 with one line (was $rc)" "$good"

# -- configuration files: what was read is what is hashed; damage is bad-config -----------------
row 0 "" run --workload "$w" --system "$sys" --network <(cat "$net")
says "network  b6737509dec74550"
gzip -c "$net" >"$scratch/net.gz"
row 0 "" run --workload "$w" --system "$sys" --network "$scratch/net.gz"
says "network  b6737509dec74550"
head -c 60 "$scratch/net.gz" >"$scratch/cut.gz"
row 4 "bad-config" run --workload "$w" --system "$sys" --network "$scratch/cut.gz"
truncate -s 40M "$scratch/large.yml"
row 4 "larger than" run --workload "$w" --system "$sys" --network "$scratch/large.yml"
sed 's/"preferred-dataset-splits": *[0-9]*/"preferred-dataset-splits": 2000000000/' "$sys" \
    >"$scratch/splits.json"
row 6 "need more than" run --workload "$w" --network "$net" --system "$scratch/splits.json" --no-fold

# -- check and info ---------------------------------------------------------------------------
row 0 "" check "${files[@]}"
says "4 ranks, 1 distinct trace, 4 nodes"
row 0 "" check "$scratch/c.yaml"
row 2 "unknown option --format" check "${files[@]}" --format json
row 5 "cannot open" check --workload "$w" --network /nonexistent.yml --system "$sys"
row 0 "" info "$w"
says "all-reduce"
row 0 "" info "$w.0.et" "$w.1.et" --per-rank
row 0 "" info "$w" --format json
says '"schema_version": "orrery.census/1"'
row 2 "no trace was given" info
row 2 "expected text or json" info "$w" --format csv
row 5 "/nonexistent" info /nonexistent
row 3 "bad-input" info configs/README.md

# -- text of files does not command the terminal ------------------------------------------------
esc=$'\e'
mkdir "$scratch/esc"
printf '{"g\\u001b[1m": [0, 1, 2, 3]}' >"$scratch/esc/g.json"
cp "$net" "$scratch/esc/n${esc}[1m.yml"
sed 's/"comm_size"/"pg_name": "g\\u001b[1m", "comm_size"/' "$scratch/w.json" >"$scratch/esc/t${esc}[1m.0.et"
for r in 1 2 3; do
    echo '{"workload_graph": [{"Id": 0, "Name": "n", "NodeType": 4, "runtime": 5}]}' \
        >"$scratch/esc/t${esc}[1m.$r.et"
done
strange=(--workload "$scratch/esc/t${esc}[1m" --network "$scratch/esc/n${esc}[1m.yml" --system "$sys"
    --comm-group "$scratch/esc/g.json")
plain() { # COMMAND..: prints something, and no escape
    local good=no
    "$orrery" "$@" >"$scratch/out" 2>&1
    [ -s "$scratch/out" ] && ! grep -qF "$esc" "$scratch/out" && good=yes
    cp "$scratch/out" "$scratch/err"
    judge "no control characters: orrery $*" "$good"
}
for format in text json csv astra; do plain run "${strange[@]}" --format "$format"; done
plain run "${strange[@]}" --print-config
plain check "${strange[@]}"
plain info "$scratch/esc/t${esc}[1m"
plain info "$scratch/esc/t${esc}[1m" --format json
says '\u001b'

# -- one is not many ---------------------------------------------------------------------------
row 0 "" info "$w.0.et"
says "1 rank, 1 distinct trace file ("
says " held), 1 node"
sed 's/\[ 4 \]/[ 1 ]/' "$net" >"$scratch/single.yml"
row 0 "" check --workload "$w.0.et" --network "$scratch/single.yml" --system "$sys"
says "workload 1 rank, 1 distinct trace, 1 node, 0 dependencies"
row 0 "" run --workload "$w.0.et" --network "$scratch/single.yml" --system "$sys"
says "1 rank, 1 distinct trace (chakra-json), 1 node"
says "all 1 rank finished"

# -- uneven sizes: who cannot run them says so --------------------------------------------------
row 2 "--sizes: uneven sizes are for all-to-all, not for all-reduce" \
    collective all-reduce 6MB --topo full:6 --sizes zipf:1
for t in ring direct oneRing oneDirect bruck; do
    row 4 "cannot run an uneven all-to-all" \
        collective all-to-all 6MB --topo full:6 --sizes zipf:1 --algorithm "$t"
done

# Ranks leave a broadcast at different times, so that one node of the trace is ready before another
# on some only: also with one comm slot.
mkdir "$scratch/order"
cat >"$scratch/order/w.json" <<'JSON'
{"workload_graph": [
 {"Id": 0, "Name": "a", "NodeType": 7, "comm_type": 5, "comm_size": 1000000},
 {"Id": 1, "Name": "k", "NodeType": 4, "runtime": 60},
 {"Id": 4, "Name": "x", "NodeType": 4, "runtime": 5, "data_deps": [0]},
 {"Id": 2, "Name": "c", "NodeType": 7, "comm_type": 2, "comm_size": 100000, "data_deps": [4]},
 {"Id": 3, "Name": "d", "NodeType": 7, "comm_type": 0, "comm_size": 500000, "data_deps": [1]}]}
JSON
cat >"$scratch/order/c.yaml" <<'YAML'
workload: {traces: w.json, replicate: true}
network: {topology: "switch:8", backend: link}
system:
  dataset-splits: 1
  compute-slots: 2
  collectives: {all-reduce: ring, all-gather: ring, broadcast: chain}
YAML
row 11 "a dependency between the two collectives gives one order" \
    run "$scratch/order/c.yaml" --quiet

# A dimension whose algorithm has no reduce-scatter can come last only.
for order in round-robin greedy; do
    row 4 "the one-shot algorithm cannot run reduce-scatter" collective all-reduce 1MB \
        --topo torus:4x4 --algorithm ring,one-shot:dim --chunks 2 --dim-order "$order"
done
row 0 "" collective all-reduce 1MB --topo torus:4x4 --algorithm ring,one-shot:dim --chunks 2

printf '8,1\n1,8\n' >"$scratch/matrix"
row 0 "" collective all-to-all 9MB --topo full:2,bw=50GB/s,lat=500ns --sizes "$scratch/matrix" --algorithm linear
says "lower bound 20.50 us"
says "100.0 %"
row 4 "expected zipf:S" collective all-to-all 9MB --topo full:2 --sizes zipf:x
row 0 "" traffic --help
says "--count: senders, default all others"
for t in "collective all-reduce 1MB" "traffic ring"; do
    # shellcheck disable=SC2086
    row 2 "expected text, json or csv, found \"jason\"" $t --topo ring:4 --format jason
done
row 2 "expected text, json, dot or svg" topo ring:4 --format jason
row 0 "oddity: collective of 0 bytes" collective all-reduce 0B --topo ring:4 --algorithm ring --fidelity flow
says "6       0 B             -  3.000 us"
row 2 "SIZE: " collective all-reduce -5 --topo ring:4
row 2 "unknown option -x" collective all-reduce -x --topo ring:4
for t in send sendrecv permute; do
    row 2 "hint: messages between pairs: orrery traffic" collective "$t" 1MB --topo ring:4
done

# What a file says of itself is told as that, without a rank or line it does not have.
"$orrery" collective all-gather 1MB --topo full:8 --algorithm direct --export-msccl "$scratch/8.xml" >/dev/null
row 4 "the MSCCL file is for 8 GPUs, the group has 4 members" collective all-gather 1MB --topo full:4 \
    --algorithm "$scratch/8.xml"
wrong=no
grep -q "rank 0\|node 0" "$scratch/err" || wrong=yes
judge "an MSCCL file of another size: no rank or node is to blame" "$wrong"
: >"$scratch/empty.csv"
row 3 "empty.csv: the file has no flows" traffic "$scratch/empty.csv" --topo ring:4
row 0 "" collective reduce 1kB --topo switch:1 --algorithm linear --quiet
says "1 rank,"
row 0 "1 time: rank 0" collective reduce 1kB --topo switch:2 --algorithm linear
row 6 "at most 256 can be proved" collective all-gather 1MB --topo switch:257 --algorithm ring --verify

row 10 "its ranks wait for each other without end" \
    collective all-reduce 168960B --topo hypercube:8 --algorithm doubleBinaryTree --chunks 2
row 0 "" collective all-reduce 168960B --topo hypercube:8 --algorithm doubleBinaryTree --chunks 2 \
    --num-queues-per-dim 2
row 0 "" collective all-reduce 168960B --topo hypercube:8 --chunks 2
says "its ranks wait for each other without end"

# -- generated jobs in files, scaled traces -----------------------------------------------------
small=(generate llama3.2-1b --plan "tp=2,seq=256,global-batch=4")
row 2 "which model or job?" generate
row 2 "--output: expected a prefix" "${small[@]}"
row 4 "llama3-8" generate llama3-8 --output "$scratch/j"
row 2 'did you mean "shared"?' "${small[@]}" -o "$scratch/j" --form shard
row 2 "expected a number from 1" "${small[@]}" -o "$scratch/j" --devices none
row 4 "nearest: " "${small[@]}" -o "$scratch/j" --devices 5
row 5 "/nonexistent/" "${small[@]}" -o /nonexistent/folder/j
row 0 "" "${small[@]}" -o "$scratch/j" --devices 4
says "4 written"
says "groups.json: 4"
row 0 "" "${small[@]}" -o "$scratch/j" --devices 4 --form shared
says "1 written"
says "3 shared"
cat >"$scratch/d.yaml" <<YAML
network: {topology: "switch:8,bw=50GB/s,lat=500ns"}
system: {device: h100-sxm, dataset-splits: 1, streams: true, collectives: {all-reduce: ring}}
YAML
scaled=(run "$scratch/d.yaml" --workload "$scratch/j" --comm-group "$scratch/j.groups.json")
row 0 "" "${scaled[@]}" --scale-ranks 8
says "all 8 ranks finished"
row 4 "the network has 8 NPUs" "${scaled[@]}" --scale-ranks 6
row 4 'no trace uses a group "pp"' "${scaled[@]}" --scale-ranks 8 --scale-groups dp-cp,pp
row 4 "does not say how many" "${scaled[@]}" --scale-ranks 8 --replicate

# -- a reader that goes away, a full disk ------------------------------------------------------
rc=0
"$orrery" run "${files[@]}" >/dev/full 2>"$scratch/err" || rc=$?
good=no
[ "$rc" -eq 5 ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && good=yes
judge "a full disk is exit 5 with one line (was $rc)" "$good"
"$orrery" run "${files[@]}" 2>"$scratch/err" | true
rc=${PIPESTATUS[0]}
good=no
[ "$rc" -eq 0 ] || [ "$rc" -eq 5 ] && good=yes
judge "a closed pipe is no end by a signal (was $rc)" "$good"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
