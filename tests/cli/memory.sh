#!/usr/bin/env bash
# The memory model is a bound: what any rank holds at once in a run, with the framework's reserve, is no more than the
# training step's figures say, and not much less.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
passed=0
failed=0

# number KEY: the first value of "KEY": N in the report
number() {
    sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p" <<<"$report" | head -n 1
}

# bound JOB NODES PLAN
bound() {
    local most figures reserve
    if ! report=$("$orrery" run "$1" --cluster "preset:dgx-h100,nodes=$2" --plan "$3" --ignore-memory \
        --format json --quiet); then
        echo "FAILED $1 $3: does not run"
        failed=$((failed + 1))
        return
    fi
    most=$(sed -n 's/.*"most_bytes": \([0-9]*\).*/\1/p' <<<"$report" | sort -n | tail -n 1)
    figures=$(sed -n '/^    "memory": {/,/}/s/.*"bytes": \([0-9]*\).*/\1/p' <<<"$report")
    reserve=$(number reserve)
    if awk -v most="$most" -v figures="$figures" -v reserve="$reserve" \
        'BEGIN { held = most + reserve; exit !(held > 0 && held <= figures && figures <= 1.25 * held) }'; then
        passed=$((passed + 1))
    else
        echo "FAILED $1 $3: held $most and a reserve of $reserve, figures say $figures"
        failed=$((failed + 1))
    fi
}

small="seq=1024,global-batch=16"
for zero in 0 1 2 3; do
    bound llama3-8b 1 "$small,zero=$zero"
    bound llama3-8b 1 "$small,zero=$zero,tp=2,pp=2,sequence-parallel=true"
done
bound llama3-8b 1 "$small,tp=2,pp=2,interleave=4,sequence-parallel=true"
bound llama3-8b 1 "$small,pp=4,schedule=gpipe"
bound llama3-8b 1 "$small,pp=4,schedule=zero-bubble"
bound llama3-8b 1 "$small,pp=4,recompute=full,zero=1"
bound llama3-8b 1 "$small,pp=2,recompute=selective,cp=2,zero=1"
bound llama3-8b 1 "$small,zero=3,shard-group=4"
bound llama3-8b 1 "$small,compute-type=fp8,zero=1"
bound mixtral-8x7b 2 "$small,ep=8,tp=2,zero=1"
bound deepseek-v2-lite 1 "$small,ep=8,zero=1"
bound gpt2-1.5b 1 "$small,zero=2"
bound resnet50 1 "global-batch=256,micro-batch=32"
bound dlrm-mlperf 1 "global-batch=4096,micro-batch=512"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
