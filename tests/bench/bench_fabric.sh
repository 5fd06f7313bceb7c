#!/usr/bin/env bash
# bench_fabric.sh - whole commands on large fabrics: user seconds and peak memory beside their targets.
# Called by bench.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${BUILD:-build/release}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# row WHAT TARGET COMMAND..: GNU time is in Debian's package `time`; without it memory prints as "-".
row() {
    local what=$1 target=$2 figures
    shift 2
    if [ -x /usr/bin/time ]; then
        figures=$(/usr/bin/time -f '%U %M' "$@" 2>&1 >/dev/null | tail -n 1)
    else
        figures=$({ TIMEFORMAT='%U -'; time "$@" >/dev/null 2>&1; } 2>&1)
    fi
    awk -v what="$what" -v target="$target" -v figures="$figures" 'BEGIN {
        split(figures, f, " ")
        memory = f[2] == "-" ? "-" : sprintf("%.0f MiB", f[2] / 1024)
        printf "  %-68s %6.2f s %9s   %s\n", what, f[1], memory, target }'
}

collective() { # WHAT TARGET KIND SIZE TOPOLOGY options
    local what=$1 target=$2
    shift 2
    row "$what" "$target" "$build/orrery" collective "$1" "$2" --topo "$3" "${@:4}"
}

nodes='switch:8,bw=450GB/s,lat=300ns'
collective 'all-to-all, 2,048 ranks, leaf-spine, sprayed, unfolded (4.2 M flows)' '10 s, 2048 MiB' \
    all-to-all 2GB leafspine:32x64,spines=32 --routing spray --algorithm direct --fidelity flow \
    --no-fold
row 'random permutation, 8,192 hosts, 3-level fat-tree, ECMP' '2 s' \
    "$build/orrery" traffic permutation --bytes 1MB --topo fattree:32 --routing ecmp
collective 'all-reduce of 1 GB, 131,072 devices in nodes of 8, 3 levels, folded' '2 s' \
    all-reduce 1GB "$nodes*xgft:3/16,32,32/1,16,32/1,1,1" --routing spray \
    --algorithm ring,halvingDoubling --fidelity flow
for inner in ring halvingDoubling; do
    collective "the same, 4,096 devices, unfolded ($inner between nodes)" '30 s' \
        all-reduce 1GB "$nodes*xgft:3/8,8,8/1,8,8/1,1,1" --routing spray \
        --algorithm "ring,$inner" --fidelity flow --no-fold
done

"$build/tests/tools/make_trace" "$scratch/w" '{"gen": "dp", "npus": 4096, "layers": 32, "iters": 1,
    "fwd_ops": 1000000000, "fwd_bytes": 1000000, "bwd_ops": 2000000000, "bwd_bytes": 1000000,
    "grad_bytes": 67108864}'
cat >"$scratch/torus.yaml" <<'YAML'
workload: {traces: w, replicate: true}
network: {topology: "torus:16x16x16", backend: link}
system: {dataset-splits: 1, compute-model: roofline, peak-compute: 400TFLOPS,
  local-memory-bandwidth: 2TB/s, collectives: {all-reduce: torus-bucket-multiport}}
YAML
row '32-layer data-parallel iteration, 16x16x16 torus, bucket, link, folded' '2 s' \
    "$build/orrery" run "$scratch/torus.yaml"
