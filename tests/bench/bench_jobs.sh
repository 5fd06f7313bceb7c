#!/usr/bin/env bash
# bench_jobs.sh - generated training jobs, from the generator to the breakdown: user seconds and peak memory beside their
# targets, and instructions where they are stable. Called by bench.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${BUILD:-build/release}"
jobs=configs/examples/jobs

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
        memory = f[2] == "-" ? "-" : sprintf("%.0f MB", f[2] * 1.024 / 1000)
        printf "  %-68s %6.2f s %9s   %s\n", what, f[1], memory, target }'
}

row 'Llama-3 70B on 1,024 H100: TP 8, PP 4, DP 32' '1 s' \
    "$build/orrery" run $jobs/llama3-70b.yaml --cluster $jobs/h100-1024.yaml
row 'Llama-3 405B on 16,384 H100: TP 8, PP 16 interleaved, DP 128' '2 s, 500 MB' \
    "$build/orrery" run $jobs/llama3-405b.yaml --cluster preset:dgx-h100,nodes=2048
row 'the same, weak scaling from 512 to 131,072 devices: 9 runs' '20 s' \
    "$build/orrery" scale $jobs/llama3-405b.yaml --cluster preset:dgx-h100 \
    --plan global-batch=64 --devices 512..131072
# With DP inside PP its rings cross units of the fabric, and ranks fall into 512 to 2,048 classes.
row '16,384 H100 with ranks in the order tp-dp-pp (Megatron-LM)' '' \
    "$build/orrery" run $jobs/llama3-405b.yaml --cluster preset:dgx-h100,nodes=2048 \
    --plan order=tp-cp-ep-dp-pp
row 'weak scaling in that order' '' \
    "$build/orrery" scale $jobs/llama3-405b.yaml --cluster preset:dgx-h100 \
    --plan global-batch=64,order=tp-cp-ep-dp-pp --devices 512..131072
row 'Llama-3 8B, hybrid shards, weak scaling from 8 to 16,384: 12 runs' '2 s' \
    "$build/orrery" scale llama3-8b --cluster preset:dgx-h100 \
    --plan zero=3,shard-group=8,seq=8192,global-batch=8 --devices 8..16384
row 'Llama-3 8B, one batch on 8 to 16,384 devices, plans searched: 12 runs' '30 s' \
    "$build/orrery" scale llama3-8b --cluster preset:dgx-h100 \
    --plan auto,seq=8192,global-batch=2048 --strong --devices 8..16384
"$build/tests/bench/bench_job"

instructions() { # DEVICES
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/orrery" run \
        $jobs/llama3-70b.yaml --cluster "preset:dgx-h100,nodes=$(($1 / 8))" \
        --plan "dp=0,global-batch=$1" 2>&1 >/dev/null | awk '/Collected/ { print $NF }'
}
if command -v valgrind >/dev/null; then
    for devices in 256 1024; do
        printf '  Llama-3 70B on %5d H100, generator to breakdown: %.0f million instructions (callgrind; stable)\n' \
            "$devices" "$(($(instructions "$devices") / 1000000))"
    done
else
    echo '  skipped: valgrind is not installed'
fi
