#!/usr/bin/env bash
# bench.sh - the figures of the README: run by `make bench`, alone on the machine.
# BENCH="queue read link growth fold instructions scaling flow op plan sweep jobs peers fabric" chooses parts.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${BUILD:-build/release}"
parts="${BENCH:-queue read link growth fold instructions scaling flow op plan sweep jobs peers fabric}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U'

wants() {
    [[ " $parts " == *" $1 "* ]]
}

# user_seconds COMMAND..: what it took, standard output dropped.
user_seconds() {
    { time "$@" >/dev/null 2>"$scratch/err" || cat "$scratch/err" >&2; } 2>&1 | tail -n 1
}

network() { # NPUS
    printf 'topology: [ Ring ]\nnpus_count: [ %d ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' "$1"
}

write_system() {
    cat >"$scratch/system.json" <<'JSON'
{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
 "preferred-dataset-splits": 1, "all-reduce-implementation": ["ring"],
 "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
 "all-to-all-implementation": ["ring"], "collective-optimization": "localBWAware",
 "local-mem-bw": 3350, "roofline-enabled": 1, "peak-perf": 900}
JSON
}

# dp_trace NPUS LAYERS: data-parallel iteration, 104857600 B of gradient per layer, as in scaling.jsonl.
dp_trace() {
    "$build/tests/tools/make_trace" "$scratch/w" "{\"gen\": \"dp\", \"npus\": $1, \"layers\": $2,
        \"iters\": 1, \"fwd_ops\": 200000000000, \"fwd_bytes\": 400000000,
        \"bwd_ops\": 400000000000, \"bwd_bytes\": 800000000, \"grad_bytes\": 104857600}"
    network "$1" >"$scratch/network.yml"
}

run_dp() { # options
    user_seconds "$build/orrery" run --workload "$scratch/w" --replicate \
        --network "$scratch/network.yml" --system "$scratch/system.json" --format astra "$@"
}

growth() {
    printf '%8s %8s %12s %8s %14s %14s\n' ranks layers messages "user s" "ns/message" "Mmessage/s"
    for ranks in 64 128 256 512 1024 2048 4096; do
        local per_layer=$((2 * ranks * (ranks - 1))) layers seconds
        layers=$((33546240 / per_layer))
        dp_trace "$ranks" "$layers"
        seconds=$(run_dp --no-fold)
        awk -v r="$ranks" -v l="$layers" -v m=$((per_layer * layers)) -v s="$seconds" 'BEGIN {
            printf "%8d %8d %12d %8.2f %14.1f %14.2f\n", r, l, m, s, s / m * 1e9, m / s / 1e6 }'
    done
}

fold() {
    for ranks in 1024 65536; do
        dp_trace "$ranks" 32
        printf '%8d ranks, 32 layers, folded: %s s user\n' "$ranks" "$(run_dp)"
    done
}

# instructions_of NPUS LAYERS: of the whole unfolded run, by callgrind.
instructions_of() {
    dp_trace "$1" "$2"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/orrery" run \
        --workload "$scratch/w" --replicate --network "$scratch/network.yml" \
        --system "$scratch/system.json" --format astra --no-fold 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}

# The difference of two lengths of one job leaves out what a run costs once.
instructions() {
    if ! command -v valgrind >/dev/null; then
        echo 'skipped: valgrind is not installed'
        return
    fi
    for ranks in 64 256; do
        local per_layer=$((2 * ranks * (ranks - 1))) short long
        short=$(instructions_of "$ranks" 1)
        long=$(instructions_of "$ranks" 3)
        awk -v r="$ranks" -v i=$((long - short)) -v m=$((2 * per_layer)) 'BEGIN {
            printf "%8d ranks: %.1f instructions per message\n", r, i / m }'
    done
}

sed -n 's/^model name[^:]*: */machine: /p' /proc/cpuinfo | head -n 1
echo "cores: $(nproc), $(gcc --version | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
write_system
if wants queue; then
    printf '\n== event queue (tests/bench/bench_queue.c)\n'
    "$build/tests/bench/bench_queue"
fi
if wants read; then
    printf '\n== trace reading (tests/bench/bench_read.c)\n'
    "$build/tests/bench/bench_read" "$scratch"
fi
if wants link; then
    printf '\n== message-hops of the link model (tests/bench/bench_link.c)\n'
    "$build/tests/bench/bench_link"
fi
if wants growth; then
    printf '\n== growth: ring all-reduce, unfolded, about 33 million messages each\n'
    growth
fi
if wants fold; then
    printf '\n== folding\n'
    fold
fi
if wants instructions; then
    printf '\n== instructions per message: ring all-reduce, unfolded (callgrind; stable)\n'
    instructions
fi
if wants scaling; then
    printf '\n== against ASTRA-sim (scaling.jsonl; its figures are from a 2-core machine)\n'
    "$build/tests/agree/agree_astra" --orrery "$build/orrery" --scaling
fi
if wants flow; then
    printf '\n== max-min solver and flow model (tests/bench/bench_flow.c)\n'
    "$build/tests/bench/bench_flow"
fi
if wants op; then
    printf '\n== times of ops (tests/bench/bench_op.c)\n'
    "$build/tests/bench/bench_op"
fi
if wants plan; then
    printf '\n== plans in closed form (tests/bench/bench_plan.c)\n'
    "$build/tests/bench/bench_plan"
fi
if wants sweep; then
    printf '\n== what a study costs beside its points (tests/bench/bench_sweep.c)\n'
    "$build/tests/bench/bench_sweep"
fi
if wants jobs; then
    printf '\n== generated jobs: user time, peak memory, target\n'
    tests/bench/bench_jobs.sh
fi
if wants peers; then
    printf '\n== flow against SimGrid (simgrid_speed.jsonl; its figures are from a 2-core machine)\n'
    "$build/tests/agree/net/agree_net" --part speed
fi
if wants fabric; then
    printf '\n== whole commands on large fabrics: user time, peak memory, target\n'
    tests/bench/bench_fabric.sh
fi
