#!/usr/bin/env bash
# Every example of every command's --help runs as it stands, in a folder that has the files which stand for the reader's;
# and the README tells every form of JSON.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
repository=$PWD
orrery=$(realpath "${ORRERY:-build/release/orrery}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

# -- versions of JSON: those in the code are those of the README ------------------------------------------
forms='orrery\.[a-z-]+/[0-9]+'
grep -rhoE --include='*.[ch]' "\"$forms" src | tr -d '"' | sort -u >"$scratch/written"
grep -oE "\`$forms" src/report/README.md | tr -d '\`' | sort -u >"$scratch/told"
judge "forms of JSON in src/report/README.md: $(diff "$scratch/written" "$scratch/told" | tr '\n' ' ')" \
    "$([ -s "$scratch/written" ] && cmp -s "$scratch/written" "$scratch/told" && echo yes || echo no)"

# -- the reader's files ----------------------------------------------------------------------------------
mkdir -p "$scratch/here/W"
cd "$scratch/here" || exit 1
ln -s "$repository/configs" configs
dp8=configs/examples/dp8
for rank in 0 1 2 3 4 5 6 7; do
    cp "$dp8/workload.all.et" "W/all_reduce.$rank.et"
done
cp "$dp8/workload.all.et" W/step.et
cp "$dp8/system.json" sys.json
cp "$dp8/network.yml" net.yml
cp configs/examples/all_reduce.yaml cluster.yaml
cp configs/devices/h100-sxm.yaml mydevice.yaml
cp configs/examples/studies/parallelism.yaml study.yaml
cat >job.yaml <<END
model: llama3-8b
plan: {tp: 2, dp: 8, seq: 4096, micro-batch: 1, global-batch: 512, zero: 1}
END
cat >mine.yaml <<END
network: {topology: "rail:8x8", backend: flow}
system: {device: h100-sxm, library: h100-dgx}
END
cat >flows.csv <<END
src,dst,bytes,start
0,5,1000000,0
END
cat >measured.csv <<END
m,n,k,type,time_us
512,512,512,bf16,6.5
1024,1024,1024,bf16,9.5
END

cat >steps.csv <<END
step,time
1,10.7
2,11.1
END
astra=(--workload W/all_reduce --system sys.json --network net.yml --quiet)
"$orrery" run "${astra[@]}" --format astra --output astra.log
"$orrery" run "${astra[@]}" --format json --output report.json --timeline timeline.json --timeline-ranks 0-7
cat >AstraSim_Analytical_Congestion_Unaware <<'END'
#!/bin/sh
# Stands for ASTRA-sim: prints what it would.
cat "$(dirname "$0")/astra.log"
END
chmod +x AstraSim_Analytical_Congestion_Unaware
mkdir traces
for rank in 0 1; do
    cat >traces/trace.$rank.json <<END
{"distributedInfo": {"rank": $rank, "world_size": 8}, "traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": 1000.5, "dur": 120.0},
{"ph": "X", "cat": "kernel", "name": "sm90_gemm", "pid": 0, "tid": 7, "ts": 1010.25, "dur": 20.0, "args": {"stream": 7}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "pid": 0, "tid": 20, "ts": 1040, "dur": 60.5,
 "args": {"Collective name": "allreduce", "In msg nelems": 262144, "dtype": "Float", "Group size": 8}}]}
END
done

# -- the examples ------------------------------------------------------------------------------------------
commands=$("$orrery" help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in $commands; do
    count=0
    while read -r line; do
        rc=0
        case "$line" in "orrery serve "*) line+=" --open-for 100ms" ;; esac # else until Ctrl-C: serve.sh
        start=$(date +%s%N)
        bound=(timeout -k 5 120)
        [ "$command" = serve ] && bound=(timeout --preserve-status -k 5 1) # until it is told to end
        PATH="$(dirname "$orrery"):$PATH" "${bound[@]}" bash -c "exec ${line//:8080/:0}" >"$scratch/out" 2>"$scratch/err" </dev/null || rc=$?
        [ "${TIMES:-}" ] && echo "$((($(date +%s%N) - start) / 1000000)) ms: $line"
        good=no
        [ "$rc" -eq 0 ] && good=yes
        judge "an example of $command: exit $rc: $line" "$good"
        count=$((count + 1))
    done < <("$orrery" "$command" --help | sed -n '/^Examples:/,$ s/^ *\(orrery .*\)/\1/p')
    judge "$command --help has an example" "$([ "$count" -ge 1 ] && echo yes || echo no)"
done

echo "help: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
