#!/usr/bin/env bash
# Studies on the command line: wrong ones are refused, and a sweep that is killed, interrupted, out of disk or not alone loses
# nothing: its export is the same bytes as that of one left in peace.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'kill %% 2>/dev/null; rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash
RANDOM=${SWEEP_SEED:-1}

# rows.bash wants silence where nothing is wrong: a sweep tells how far it is.
quiet=(--quiet --workers 2)

# -- what is refused -------------------------------------------------------------------------------
study() { # TEXT: into a file
    printf '%s\n' "$1" >"$scratch/study.yaml"
}
row 2 "a study's file is needed" sweep
row 5 "cannot open" sweep absent.yaml
row 2 "expected local or slurm" sweep x.yaml --engine pbs
row 2 "expected 1 to" sweep x.yaml --workers 0
row 2 "such as 60s" sweep x.yaml --time-limit 0s
row 2 "a store is needed" results
study 'base: {job: llama3-8b}
axes: {plan.tpp: [1]}'
row 4 "no key tpp" sweep "$scratch/study.yaml"
study 'base: {job: llama3-8b}
axes: {network.backand: [flow]}'
row 4 'did you mean "network.backend"?' sweep "$scratch/study.yaml"
study 'base: {job: llama3-8b}
axes: {plan.tp: [1, 2]}
filter: plan.tp > 4'
row 4 "is left" sweep "$scratch/study.yaml"
study 'base: {job: llama3-8b}
axes: {plan.tp: [1, 2]}
filter: plan.tp >'
row 4 "ends where" sweep "$scratch/study.yaml"
study 'base: {job: llama3-8b}
best: most mfuu'
row 4 'did you mean "mfu"?' sweep "$scratch/study.yaml"

# -- the examples ----------------------------------------------------------------------------------
for example in configs/examples/studies/*.yaml; do
    row 0 "" sweep "$example" --dry-run
    says "points"
done

# -- a study left in peace, and again --------------------------------------------------------------
study 'base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=1
  plan: seq=2048,global-batch=32,zero=1
axes:
  plan.tp: [1, 2, 4, 8, 16]
  plan.pp: [1, 2]
  plan.micro-batch: [1, 2]
  system.launch-overhead: [2us, 4us]
zip: [{network.backend: [analytical, flow], run.fold: [true, true]}]'
cp "$scratch/study.yaml" "$scratch/peace.yaml"
study=$scratch/peace.yaml
export_of() { # STORE
    "$orrery" results "$1" --format csv
}
row 0 "" sweep "$study" --store "$scratch/peace.db" "${quiet[@]}"
says "80 of 80 points: 0 from the store, 80 run"
row 0 "" sweep "$study" --store "$scratch/peace.db" "${quiet[@]}"
says "80 from the store, 0 run"
export_of "$scratch/peace.db" >"$scratch/peace.csv"
row 0 "" results "$scratch/peace.db" --where "state == 'bad-config'" --columns reason
says "8" # tp 16: a row with its reason
row 0 "" results "$scratch/peace.db" --pareto time_s,memory_bytes --format json
says '"schema": "orrery.results/1"'
row 0 "" results "$scratch/peace.db" --pivot plan.tp,plan.pp,time_s,least --format csv
says "plan.tp,1,2"
row 2 'did you mean "time_s"?' results "$scratch/peace.db" --sort times
row 2 "text where a number" results "$scratch/peace.db" --where "state > 1"

same() { # NAME STORE
    local good=no
    export_of "$2" >"$scratch/export.csv" && cmp -s "$scratch/export.csv" "$scratch/peace.csv" && good=yes
    judge "$1: not the export of an undisturbed study" "$good"
}
same "again" "$scratch/peace.db"
row 0 "" sweep "$study" --store "$scratch/one.db" --quiet --workers 1 --no-bind
same "one worker" "$scratch/one.db"

# -- places of a file, and the same figures as a run of its own ------------------------------------
row 0 "" sweep configs/examples/studies/collectives.yaml --store "$scratch/c.db" "${quiet[@]}"
says "0 not ok"
row 0 "" results "$scratch/c.db" --where "system.collectives.all-reduce == 'ring' and network.backend == 'congestion-unaware'" \
    --format csv --columns time_s
at_50=$(sed -n 3p "$scratch/out")
row 0 "" run configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload --replicate --quiet --format csv
good=no
[ -n "$at_50" ] && grep -qF "$(awk -v s="$at_50" 'BEGIN { printf "%.0f", s * 1e12 }')" "$scratch/out" && good=yes
judge "a point ($at_50 s) is what a run of its own says" "$good"
study 'base: {config: c.yaml}
axes: {system.collectives.all-reduc: [ring]}'
row 4 "no key" sweep "$scratch/study.yaml"
study 'base: {workload: x}
axes: {system.collectives.all-reduce: [ring]}'
row 4 "of a \`config\` or \`cluster\`" sweep "$scratch/study.yaml"

# A name inside of values, and a base's plan that an axis wins over: as runs that say the same in their own words.
study 'base: {job: llama3-8b, cluster: "rail:8x{n-1},bw={speed}", system.device: h100-sxm, plan: "seq=2048, tp =4,global-batch=64", let.n-1: 4}
axes: {let.speed: [100Gbps, 400Gbps], plan.tp: [2, 8]}'
row 0 "" sweep "$scratch/study.yaml" --store "$scratch/let.db" "${quiet[@]}"
row 0 "" results "$scratch/let.db" --where "let.speed < 200Gbps and plan.tp == 8" --format csv --columns time_s
time_s=$(sed -n 2p "$scratch/out")
row 0 "" run llama3-8b --cluster rail:8x4,bw=100Gbps --set system.device=h100-sxm --plan seq=2048,tp=8,global-batch=64 --quiet --format csv
good=no
[ -n "$time_s" ] && grep -qF "$(awk -v s="$time_s" 'BEGIN { printf "%.0f", s * 1e12 }')" "$scratch/out" && good=yes
judge "a point with names ($time_s s) is what a run of its own says" "$good"
study 'base: {model: "llama3-8b{layers={l}}", cluster: "switch:8,bw=100GB/s", system.device: "h100-sxm{memory=160GB}", framework: "megatron{launch=3us}", plan: seq=2048}
axes: {let.l: [16, 24]}'
row 0 "" sweep "$scratch/study.yaml" --store "$scratch/layers.db" "${quiet[@]}"
says "2 run"
says "0 not ok"
row 0 "" results "$scratch/layers.db" --where "let.l == 16" --format csv --columns time_s
time_s=$(sed -n 2p "$scratch/out")
row 0 "" run 'llama3-8b{layers=16}' --cluster switch:8,bw=100GB/s --set 'system.device=h100-sxm{memory=160GB}' --framework 'megatron{launch=3us}' \
    --plan seq=2048 --quiet --format csv
good=no
[ -n "$time_s" ] && grep -qF "$(awk -v s="$time_s" 'BEGIN { printf "%.0f", s * 1e12 }')" "$scratch/out" && good=yes
judge "a changed preset ($time_s s) is what a run of its own says" "$good"
study 'base: {job: llama3-8b, cluster: "switch:8", let.speed: 1}
axes: {plan.tp: [1]}'
row 4 "no value of the study has {speed}" sweep "$scratch/study.yaml"

# -- kills -----------------------------------------------------------------------------------------
pause() { # TURN: up to 30 ms for each turn so far, so that the first comes on the fastest machine
    sleep "0.$(printf '%03d' $((RANDOM % (30 * $1))))"
}
ended() { # STORE: points that have a row
    "$orrery" results "$1" --where "state != 'pending'" 2>/dev/null | sed -n '1s/ rows.*//p'
}
kills=0
for store in "$scratch/k1.db" "$scratch/k2.db"; do
    for turn in $(seq 12); do
        "$orrery" sweep "$study" --store "$store" "${quiet[@]}" >/dev/null 2>&1 &
        master=$!
        pause "$turn"
        worker=$(children "$master" | head -n $((RANDOM % 2 + 1)) | tail -n 1)
        [ -n "$worker" ] && kill -9 "$worker" 2>/dev/null
        pause "$turn"
        kill -9 "$master" 2>/dev/null && kills=$((kills + 1))
        wait "$master" 2>/dev/null && break
    done
    before=$(ended "$store")
    row 0 "" sweep "$study" --store "$store" "${quiet[@]}"
    says " ${before:-0} from the store" # nothing is lost, nothing is run twice
    same "killed and started again" "$store"
done
good=no
[ "$kills" -gt 0 ] && good=yes
judge "the master was never killed" "$good"

# Workers end with the master.
begin() { # STORE: a sweep in the background, until it has workers
    "$orrery" sweep "$study" --store "$1" "${quiet[@]}" --workers 2 >"$scratch/out" 2>"$scratch/err" &
    master=$!
    for _ in $(seq 400); do
        workers=$(children "$master") && [ "$(wc -w <<<"$workers")" -ge 2 ] && return
        sleep 0.01
    done
}
begin "$scratch/k3.db"
kill -9 "$master"
wait "$master" 2>/dev/null
sleep 0.3
good=yes
for worker in $workers; do
    grep -q "^State:.[^Z]" "/proc/$worker/status" 2>/dev/null && good=no # a zombie waits for init
done
judge "workers outlive their master" "$good"

# -- a signal --------------------------------------------------------------------------------------
begin "$scratch/k3.db"
kill -INT "$master" # ignored by what runs in the background, and taken by the loop of workers
kill -TERM "$master"
wait "$master"
rc=$?
good=no
{ [ "$rc" -eq 130 ] && grep -q "goes on from here" "$scratch/err"; } || [ "$rc" -eq 0 ] && good=yes
judge "a signal: exit $rc" "$good"
row 0 "" sweep "$study" --store "$scratch/k3.db" "${quiet[@]}"
same "interrupted" "$scratch/k3.db"

# -- limits of the machine -------------------------------------------------------------------------
row 0 "" sweep "$study" --store "$scratch/t.db" "${quiet[@]}" --time-limit 1ms
row 0 "" results "$scratch/t.db" --where "state == 'time-limit'" --columns reason
says "took longer than 0.001 s"
row 0 "" sweep "$study" --store "$scratch/t.db" "${quiet[@]}" --retry
same "after a time limit" "$scratch/t.db"

# -- two masters -----------------------------------------------------------------------------------
begin "$scratch/two.db"
kill -STOP "$master"
row 5 "another sweep (process $master) writes to this store" sweep "$study" --store "$scratch/two.db" "${quiet[@]}"
row 0 "" results "$scratch/two.db" --limit 1 # readers are welcome
kill -CONT "$master"
wait "$master"
same "two masters" "$scratch/two.db"

# -- no room, no right to write --------------------------------------------------------------------
(
    ulimit -f 48
    "$orrery" sweep "$study" --store "$scratch/full.db" "${quiet[@]}" >"$scratch/out" 2>"$scratch/err"
)
rc=$?
good=no
[ "$rc" -eq 5 ] && grep -q "cannot be\|is full\|disk" "$scratch/err" && good=yes
judge "disk full: exit $rc" "$good"
row 0 "" sweep "$study" --store "$scratch/full.db" "${quiet[@]}"
same "after a full disk" "$scratch/full.db"
mkdir "$scratch/folder.db"
mkfifo "$scratch/pipe.db"
for command in "results" "serve --open-for 1s" "sweep $study --store"; do
    read -ra words <<<"$command"
    row 5 "it is a folder" "${words[@]}" "$scratch/folder.db"
    row 5 "it is no regular file" "${words[@]}" "$scratch/pipe.db"
done
row 5 "writable" sweep "$study" --store /proc/study.db "${quiet[@]}"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$scratch/full.db" "$scratch"
    row 5 "writable" sweep "$study" --store "$scratch/full.db" "${quiet[@]}"
    row 0 "" results "$scratch/full.db" --limit 1 # but can be read
    chmod u+w "$scratch" "$scratch/full.db"
fi

# -- a changed file --------------------------------------------------------------------------------
cp configs/examples/jobs/llama3-70b.yaml "$scratch/job.yaml"
study=$scratch/study.yaml
study 'base: {job: job.yaml, cluster: "preset:dgx-h100,nodes=8"}
axes: {plan.micro-batch: [1, 2]}'
row 0 "" sweep "$study" --store "$scratch/f.db" "${quiet[@]}"
row 0 "" sweep "$study" --store "$scratch/f.db" "${quiet[@]}"
says "2 from the store, 0 run"
echo "# a byte more" >>"$scratch/job.yaml"
row 0 "" sweep "$study" --store "$scratch/f.db" "${quiet[@]}"
says "0 from the store, 2 run"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
