#!/usr/bin/env bash
# real_traces.sh - traces that others wrote run to the end, and every node of them is accounted for;
# MSCCL schedules that others wrote are proved to do what they say.
#
# Data: $ORRERY_SHARED/data/traces (default ../shared); without it: skipped. A set is PREFIX.<rank>.*;
# a single file, or a text workload, runs on 8 NPUs. Prints one row per set: ranks, exit code, nodes done, makespan.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
data="${ORRERY_SHARED:-../shared}/data/traces"
if [ ! -d "$data" ]; then
    echo "traces: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# A stated device: roofline of 900 Tflop/s and 3350 GB/s where a trace says operations, else replay.
system() { # roofline-enabled
    printf '{"scheduling-policy": "LIFO", "endpoint-delay": 10, "active-chunks-per-dimension": 1,
 "preferred-dataset-splits": 4, "all-reduce-implementation": ["ring"],
 "all-gather-implementation": ["ring"], "reduce-scatter-implementation": ["ring"],
 "all-to-all-implementation": ["ring"], "collective-optimization": "localBWAware",
 "local-mem-bw": 3350, "roofline-enabled": %d, "peak-perf": 900}\n' "$1"
}
system 0 >"$scratch/replay.json"
# JSON traces do not say which collective is which (T05: not to be guessed): recorded durations only.
sed 's/{/{"replay-only": 1, /' "$scratch/replay.json" >"$scratch/replay_only.json"
system 1 >"$scratch/roofline.json"

# Files that say too little to be run must stop with a diagnosis; the exit code of each.
wanted_exit() {
    case "$1" in
    */one_comm_recv_node.0.et) echo 3 ;; # no peer
    */one_comm_send_node.0.et) echo 3 ;; # no peer
    */one_metadata_node_all_types.0.et) echo 12 ;;
    *) echo 0 ;;
    esac
}

run_set() { # FIRST_FILE: that of rank 0
    local first="$1" prefix="${1%.0.*}" rest="${1##*.0.}" ranks=0 npus rc=0 options=()
    while [ -e "$prefix.$ranks.$rest" ]; do ranks=$((ranks + 1)); done
    npus=$ranks
    if [ "$ranks" -le 1 ]; then
        npus=8
        options+=(--replicate)
        prefix="$first"
    fi
    case "$first" in
    */stage_stg/*) options+=(--system "$scratch/roofline.json" --comm-group "$prefix.json") ;;
    *.0.json) options+=(--system "$scratch/replay_only.json") ;;
    *) options+=(--system "$scratch/replay.json") ;;
    esac
    printf 'topology: [ Ring ]\nnpus_count: [ %d ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' \
        "$npus" >"$scratch/network.yml"
    printf '{"memory-type": "PER_NPU_MEMORY_EXPANSION", "remote-mem-latency": 1000,
 "remote-mem-bw": 100}\n' >"$scratch/memory.json"
    timeout -k 5 60 "$orrery" run --workload "$prefix" "${options[@]}" \
        --network "$scratch/network.yml" --remote-memory "$scratch/memory.json" --format json \
        >"$scratch/out" 2>"$scratch/err" || rc=$?
    figure() { sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" "$scratch/out" | head -n 1; }
    local wanted total completed
    wanted=$(wanted_exit "$first")
    total=$(figure node_total)
    completed=$(figure node_done)
    printf '%-70s %3d ranks  exit %2d  %8s nodes  %14s ps\n' "${first#"$data"/}" "$npus" "$rc" \
        "${completed:--}" "$(figure end_ps)"
    [ "$rc" -ne 0 ] && head -n 1 "$scratch/err" | sed 's/^/    /'
    if [ "$rc" -eq "$wanted" ] && [ "$completed" = "$total" ] &&
        [ "$((rc == 0))" -eq "$((${total:-0} > 0))" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "    FAILED: wanted exit $wanted, and all of ${total:-0} nodes done"
    fi
}

while read -r first; do
    run_set "$first"
done < <(find "$data"/chakra_et "$data"/chakra_legacy "$data"/stage_stg "$data"/expected/chakra_orig* \
    "$data"/expected/generator "$data"/expected/text_converter -type f \
    \( -name '*.0.et' -o -name '*.0.eg' -o -name '*.0.json' \) | sort)
# Text workloads; one is of 9,216 ranks.
while read -r file; do
    run_set "$file"
done < <(find "$data"/text_workloads "$data"/simai -name '*.txt' ! -name workload_analytical.txt | sort)
# MSCCL files: proved, and run on a full mesh.
run_msccl() { # FILE
    local file="$1" kind npus proof time=""
    kind=$(sed -n 's/.* coll="\([a-z_]*\)".*/\1/p' "$file" | head -n 1)
    npus=$(sed -n 's/.* ngpus="\([0-9]*\)".*/\1/p' "$file" | head -n 1)
    case "$kind" in
    allreduce) kind=all-reduce ;;
    allgather) kind=all-gather ;;
    alltoall) kind=all-to-all ;;
    esac
    proof=$("$orrery" collective "$kind" 1MiB --topo "full:$npus" --algorithm "$file" --verify 2>&1)
    case "$proof" in
    *" is right: "*) time=$("$orrery" collective "$kind" 1MiB --topo "full:$npus" --algorithm "$file" \
        --fidelity link --format csv --quiet 2>/dev/null | tail -n 1) ;;
    esac
    if [ -n "$time" ]; then
        passed=$((passed + 1))
        printf '%-70s %3d ranks  %s\n' "${file#"$data"/}" "$npus" "${proof#*: }"
    else
        failed=$((failed + 1))
        echo "${file#"$data"/} FAILED: $proof"
    fi
}

for file in "$data"/msccl_xml/*.xml; do
    [ -e "$file" ] && run_msccl "$file"
done
echo "traces: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
