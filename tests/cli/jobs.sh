#!/usr/bin/env bash
# Generated jobs on the command line: examples run, words in the wrong place and plans that do not fit are refused
# with what would do, and a sweep leaves whole files or none.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

jobs=configs/examples/jobs
hand=tests/golden/job_by_hand
# shellcheck disable=SC2054 # a comma of a word
node=(--cluster preset:dgx-h100,nodes=1)
fits=zero=3,recompute=full,seq=2048

# -- the examples: their comments say how they are run ----------------------------------------------
for job in "$jobs"/*.yaml; do
    line=$(sed -n 's/^# *orrery run //p' "$job")
    [ -n "$line" ] || continue
    read -ra words <<<"$line"
    for i in "${!words[@]}"; do
        case "${words[$i]}" in *.yaml) words[i]=$jobs/${words[$i]} ;; esac
    done
    row 0 "" run "${words[@]}"
    says "training step:"
    says "memory"
    lacks "DOES NOT FIT"
done

# -- number types and orders of ranks ----------------------------------------------------------------
row 4 "has no matrix units for fp8" run llama3-8b --cluster preset:dgx-a100,nodes=1 --plan "$fits,compute-type=fp8"
row 4 "nearest: compute-type fp8" run llama3-8b "${node[@]}" --plan "$fits,compute-type=fp4"
row 4 "has no matrix units for fp8" plan llama3-8b preset:dgx-a100,nodes=1 --type fp8
row 4 "no experts to divide by expert-tp 2" run llama3-8b "${node[@]}" --plan "$fits,expert-tp=2"
row 0 "" run llama3-8b "${node[@]}" --plan tp=2,pp=2,cp=2,order=tp-cp-ep-pp-dp,seq=2048,global-batch=8,zero=1,recompute=full
row 0 "" generate mixtral-8x7b --devices 16 --plan ep=8,tp=2,zero=1,seq=1024,global-batch=32 --output "$scratch/experts"
says "a token is sent once for each expert"
row 0 "" generate mixtral-8x7b --devices 16 --domain 8 --plan ep=8,tp=2,zero=1,seq=1024,global-batch=32 --output "$scratch/experts"
lacks "a token is sent once for each expert"
row 2 "expected a number from 1" generate mixtral-8x7b --devices 16 --domain x --output "$scratch/experts"

# -- words in the wrong place -----------------------------------------------------------------------
row 2 "llama3-8b is a job, and needs the cluster" run llama3-8b
row 2 "is a job, and needs the cluster" run "$jobs/llama3-70b.yaml"
row 2 "is a cluster, and a job is needed here" run "$jobs/h100-1024.yaml" "${node[@]}"
row 2 "is a job, and a cluster is needed here" run llama3-8b --cluster "$jobs/resnet50.yaml"
row 2 "needs a job to run there" run "${node[@]}"
row 2 "is for a generated job" run --plan tp=2
row 4 'did you mean "llama3-8b"?' run llama3-8c "${node[@]}"
row 4 'did you mean "dgx-h100"?' run llama3-8b --cluster preset:dgx-h10
row 4 "names no device" run llama3-8b --cluster switch:8
row 5 "cannot open" run absent.yaml "${node[@]}"
row 5 "cannot open" run llama3-8b --cluster absent.yaml

# -- a program that was moved away from configs/ has its own presets ---------------------------------
mkdir "$scratch/moved"
cp -L "$orrery" "$scratch/moved/orrery"
here=$orrery orrery=$scratch/moved/orrery
row 0 "" run llama3-8b "${node[@]}" --plan "$fits" --quiet
cp "$scratch/out" "$scratch/there"
row 0 "" list systems
orrery=$here
row 0 "" run llama3-8b "${node[@]}" --plan "$fits" --quiet
judge "a moved program reports the same" "$(cmp -s "$scratch/out" "$scratch/there" && echo yes)"

# -- gathers and reductions beside each other come in any order where ranks are not alike (a torus) ---
printf 'model: resnet101\nframework: composer\n' >"$scratch/fsdp.yaml"
row 0 "" run "$scratch/fsdp.yaml" --cluster preset:tpu-v5e,shape=4x4 \
    --plan zero=3,overlap-gradients=true,overlap-weights=true --quiet
says "dp-cp-gradients"

# -- files of jobs ----------------------------------------------------------------------------------
job() { # TEXT: into a file
    printf '%s\n' "$1" >"$scratch/job.yaml"
}
job 'model: llama3-8b
frame: megatron'
row 4 "frame" run "$scratch/job.yaml" "${node[@]}"
job 'model: llama3-8b
plan: {tp: 2, micro-bach: 1}'
row 4 'did you mean "micro-batch"?' run "$scratch/job.yaml" "${node[@]}"
job 'model: llama3-8b
framework: megatrom'
row 4 'did you mean "megatron"?' run "$scratch/job.yaml" "${node[@]}"
job 'model: [llama3-8b]'
row 4 "model" run "$scratch/job.yaml" "${node[@]}"
job 'model: {'
row 4 "line" run "$scratch/job.yaml" "${node[@]}"
job "model: llama3-8b
plan: {${fits//=/: }}"
row 0 "" run "$scratch/job.yaml" "${node[@]}" --quiet

# -- --plan -----------------------------------------------------------------------------------------
row 2 'did you mean "tp"?' run llama3-8b "${node[@]}" --plan tq=2
row 2 "found nothing" run llama3-8b "${node[@]}" --plan tp
row 2 "KEY=VALUE" run llama3-8b "${node[@]}" --plan tp=2,,pp=2
row 2 "KEY=VALUE" run llama3-8b "${node[@]}" --plan 'tp=2}'
row 2 "KEY=VALUE" run llama3-8b "${node[@]}" --plan 'tp=[2'
row 2 "given twice" run llama3-8b "${node[@]}" --plan tp=2,tp=4
row 2 'did you mean "1f1b"?' run llama3-8b "${node[@]}" --plan schedule=1f1c
row 2 "from 0 to 1073741824" run llama3-8b "${node[@]}" --plan global-batch=1000000000000
row 2 "auto is for orrery scale" run llama3-8b "${node[@]}" --plan auto
row 0 "" run "$hand/job.yaml" --cluster "$hand/cluster.yaml" --plan tp=2,micro-batch=2

# -- plans that do not fit: the reason, and the nearest that does -----------------------------------
row 4 "nearest: tp 4, or 9 devices" run llama3-8b "${node[@]}" --plan tp=3
row 4 "nearest: dp 4" run llama3-8b "${node[@]}" --plan tp=2,dp=3
row 4 "nearest: pp" run llama3-8b --cluster preset:dgx-h100,nodes=7 --plan pp=7
row 4 "nearest: global-batch" run llama3-8b "${node[@]}" --plan global-batch=9
row 4 "nearest: tp" run gpt2-124m "${node[@]}" --plan tp=8
row 15 "needs" run llama3-70b "${node[@]}" --plan tp=8,seq=2048
row 0 "" run llama3-70b "${node[@]}" --plan tp=8,seq=2048 --ignore-memory

# -- scale ------------------------------------------------------------------------------------------
sweep=(scale llama3-8b --cluster preset:dgx-h100 --plan "$fits")
row 2 "a job and --cluster are needed" scale llama3-8b
row 2 "a cluster that can grow" scale llama3-8b --cluster torus:4x4
row 2 "a cluster that can grow" scale llama3-8b --cluster preset:dgx-h100,nodes=2
row 2 "--topology" scale llama3-8b --cluster "$jobs/h100-1024.yaml"
row 2 "{devices/8}" scale llama3-8b --cluster 'switch:{devices/x}' --devices 8
row 2 "ascending counts" "${sweep[@]}" --devices 16..8
row 2 "ascending counts" "${sweep[@]}" --devices 8,x
row 2 "ascending counts" "${sweep[@]}" --devices 16,8
row 2 "needs the batch that stays" "${sweep[@]}" --devices 8 --strong
row 2 "expected text, json or csv" "${sweep[@]}" --devices 8 --format yaml
row 2 "auto chooses tp itself" scale llama3-8b --cluster preset:dgx-h100 --plan auto,tp=2
row 4 "no whole machines of 8" "${sweep[@]}" --devices 12
row 4 "has 22 NPUs" scale "$hand/job.yaml" --cluster "$hand/cluster.yaml" --devices 2 \
    --topology 'ring:2{devices}'
row 5 "cannot write" "${sweep[@]}" --devices 8 --plot "$scratch/absent/plot.svg"
row 5 "cannot write" "${sweep[@]}" --devices 8 --output "$scratch/absent/table"
row 15 "no row fits" scale llama3-70b --cluster preset:dgx-h100 --plan tp=8,seq=2048 --devices 8
says "(!) does not fit"
row 0 "" "${sweep[@]}" --devices 8,12,16 --plot "$scratch/plot.svg" --output "$scratch/table"
judge "the table is in its file" "$(grep -q 'no whole machines' "$scratch/table" && echo yes)"
judge "the plot is in its file" "$(grep -q '</svg>' "$scratch/plot.svg" && echo yes)"
row 0 "" scale resnet50 --cluster preset:dgx-h100 --devices 8 --plan global-batch=64 --format json
says '"samples_per_s"'
says '"schema": "orrery.scale/1"'

# A signal in the middle of a sweep: no file, and no half of one.
mkdir "$scratch/study"
env --default-signal=INT "$orrery" "${sweep[@]}" --devices 8..16384 --no-fold \
    --plot "$scratch/study/plot.svg" --output "$scratch/study/table" >"$scratch/out.txt" \
    2>"$scratch/err" &
pid=$!
sleep 1
kill -s INT "$pid"
rc=0
wait "$pid" || rc=$?
judge "SIGINT: exit code is 130, not $rc" "$([ "$rc" -eq 130 ] && echo yes)"
judge "SIGINT: no file is left" "$([ -z "$(find "$scratch/study" -type f)" ] && echo yes)"

echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
