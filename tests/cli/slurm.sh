#!/usr/bin/env bash
# A study on a Slurm cluster of one machine, which this script starts and stops: left in peace, its tasks killed and cancelled,
# merged twice, its submitter killed. Nothing is lost, no point is run twice, and the export is that of a local run, byte by byte.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
# shellcheck source=tests/cli/slurm.bash
. tests/cli/slurm.bash
trap 'slurm_stop; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
passed=0
failed=0
skipped=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash
quiet=(--engine slurm --quiet --chunk-points 20)

# Tasks take more than a second each: long enough to be killed half-way.
cat >"$scratch/study.yaml" <<'END'
base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=1
  plan: seq=2048,global-batch=192,zero=1
  run.fold: false
axes:
  system.launch-overhead: {from: 1us, to: 5us, step: 1us}
  plan.pp: [1, 2]
  plan.micro-batch: [1, 2]
  plan.tp: [1, 2, 4, 16]
END
study=$scratch/study.yaml

# -- without a cluster -----------------------------------------------------------------------------
row 2 "an option of --engine slurm" sweep "$study" --wait
row 2 "an option of --engine slurm" sweep "$study" --slurm-option partition=x
row 2 "expected 1 to" sweep "$study" --engine slurm --chunk-points 0
row 2 "what a job runs" sweep "$study" --engine slurm --merge
row 2 "the number of a task" sweep "$scratch" --chunk x
row 5 "plan.json" sweep "$scratch" --chunk 0
row 5 "plan.json" sweep "$scratch" --merge
printf '#!/bin/bash\nPATH=/nowhere exec "%s" "$@"\n' "$(realpath "$orrery")" >"$scratch/bare"
chmod +x "$scratch/bare"
orrery=$scratch/bare row 5 "there is no sbatch" sweep "$study" --engine slurm

# -- a cluster -------------------------------------------------------------------------------------
finish() {
    echo "cli: $passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
slurm_start 4 || {
    echo "skipped: no Slurm can be started here: $slurm_reason"
    skipped=1
    finish
}
row 0 "" sweep "$study" --store "$scratch/peace.db" --quiet --workers 2
"$orrery" results "$scratch/peace.db" --format csv >"$scratch/peace.csv"
same() { # NAME STORE
    local good=no
    "$orrery" results "$2" --format csv >"$scratch/export.csv" && cmp -s "$scratch/export.csv" "$scratch/peace.csv" && good=yes
    judge "$1: not the export of a local study" "$good"
}
empty() { # STORE: no submission is left beside it
    local good=yes left
    for left in "$1".slurm/orrery-*; do [ -e "$left" ] && good=no; done
    judge "$1.slurm holds a submission that is over" "$good"
}
jobs_of() { # WORDS AFTER "job ": of the last command's output
    sed -n "s/.*$1 job \([0-9]*\).*/\1/p" "$scratch/out"
}
until_gone() { # JOB..: these, or all
    local left
    for _ in $(seq 150); do
        left=$(squeue -h ${1:+-j "$(IFS=,; echo "$*")"} 2>/dev/null) && [ -z "$left" ] && return
        sleep 0.2
    done
}
is_task() { # PID TASK FOLDER: it runs that task
    { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qE -- " sweep --chunk $2 .*$3/"
}
masters() { # FOLDER TASK: the process of a task that is not a worker
    local file p
    while read -r file; do
        p=${file#/proc/} p=${p%/cmdline}
        is_task "$p" "$2" "$1" || continue
        is_task "$(awk '/^PPid/ { print $2 }' "/proc/$p/status" 2>/dev/null)" "$2" "$1" || echo "$p"
    done < <(grep -lzxF -- "--chunk" /proc/[0-9]*/cmdline 2>/dev/null)
}
until_task() { # FOLDER TASK: it has done some points; its process in $master
    for _ in $(seq 200); do
        master=$(masters "$1" "$2" | head -n 1)
        [ -n "$master" ] && grep -q '^[1-9]' "$1"/*/"$2".progress 2>/dev/null && return
        sleep 0.05
    done
}

row 5 "nvalid partition" sweep "$study" --store "$scratch/no.db" "${quiet[@]}" --slurm-option partition=none
empty "$scratch/no.db"
row 5 "sbatch" sweep "$study" --store "$scratch/no.db" "${quiet[@]}" --slurm-option no-such-thing=1
row 2 "orrery's to give" sweep "$study" --store "$scratch/no.db" "${quiet[@]}" --slurm-option array=1-3

# The whole study, with an option for sbatch, a limit for its tasks, and a name that a shell would mind.
row 0 "" sweep "$study" --store "$scratch/it's one.db" "${quiet[@]}" --wait --slurm-option partition=main --slurm-option t=5 \
    --time-limit 60s --memory-limit 4GB
says "80 submitted as 4 tasks"
says "80 of 80 points: 0 from the store, 80 run"
same "in peace" "$scratch/it's one.db"
empty "$scratch/it's one.db"
row 0 "" sweep "$study" --store "$scratch/it's one.db" "${quiet[@]}" --wait
says "80 of 80 points have a result"
lacks submitted

# A task is killed: its points that ended are kept, the rest is run by the same command. Meanwhile nothing is submitted twice.
row 0 "" sweep "$study" --store "$scratch/k.db" "${quiet[@]}"
array=$(jobs_of "tasks*:")
merging=$(jobs_of "by")
row 0 "" sweep "$study" --store "$scratch/k.db" "${quiet[@]}"
says "with tasks of an earlier command"
lacks submitted
until_task "$scratch/k.db.slurm" 1
kill -9 "$master"
until_gone "$array" "$merging"
row 0 "task 1 of orrery-study" sweep "$study" --store "$scratch/k.db" "${quiet[@]}" --wait
kept=$(sed -n 's/.* ended with \([0-9]*\) of 20 points.*/\1/p' "$scratch/err")
good=no
[ "${kept:-0}" -gt 0 ] && [ "$kept" -lt 20 ] && grep -qF "$((20 - kept)) submitted as 1 task:" "$scratch/out" && good=yes
judge "a killed task: ${kept:-none} points kept, then: $(head -n 1 "$scratch/out")" "$good"
same "a task was killed" "$scratch/k.db"
empty "$scratch/k.db"

# Half of the array is cancelled, while a command waits: it says so; then the merging job too, so that a command merges.
"$orrery" sweep "$study" --store "$scratch/c.db" "${quiet[@]}" --wait >"$scratch/out" 2>"$scratch/err" &
waiting=$!
until_task "$scratch/c.db.slurm" 2
scancel "$(jobs_of "tasks*:")_[2-3]"
wait "$waiting"
rc=$?
good=no
[ "$rc" -eq 130 ] && grep -q "task 2 of .* ended with" "$scratch/err" && grep -q "points have no result" "$scratch/err" && good=yes
judge "cancelled tasks: exit $rc" "$good"
row 0 "" sweep "$study" --store "$scratch/c.db" "${quiet[@]}"
array=$(jobs_of "tasks*:")
scancel "$(jobs_of by)"
until_gone "$array"
folder=$(echo "$scratch"/c.db.slurm/orrery-*)
cp -r "$folder" "$scratch/again"
cp -r "$folder" "$scratch/damaged"
row 0 "" sweep "$folder" --merge
same "merged by hand" "$scratch/c.db"
empty "$scratch/c.db"
mv "$scratch/again" "$folder"
cp "$orrery" "$scratch/other" && echo >>"$scratch/other" # a byte more is another program
orrery=$scratch/other row 4 "not the one that submitted" sweep "$folder" --chunk 0
row 0 "" sweep "$folder" --merge
says " 0 results merged"
same "merged twice" "$scratch/c.db"

# A machine has left damage: the file is set aside, its points are run again. (The store is lost too.)
rm "$scratch/c.db"
mv "$scratch/damaged" "$folder"
printf 'no database' >"$folder/0.db"
row 0 "damaged" sweep "$study" --store "$scratch/c.db" "${quiet[@]}" --wait
same "a damaged file" "$scratch/c.db"

# The submitter is killed before and after its jobs are known to Slurm.
real=$(command -v sbatch)
mkdir "$scratch/bin"
printf '#!/bin/sh\n[ -e "%s/late" ] && exec sleep 5\n%s "$@"\ntouch "%s/submitted"\nsleep 5\n' "$scratch" "$real" "$scratch" >"$scratch/bin/sbatch"
chmod +x "$scratch/bin/sbatch"
for when in late early; do
    [ "$when" = late ] && touch "$scratch/late"
    PATH=$scratch/bin:$PATH "$orrery" sweep "$study" --store "$scratch/s.db" "${quiet[@]}" >"$scratch/out" 2>"$scratch/err" &
    submitter=$!
    for _ in $(seq 100); do
        [ -e "$scratch/submitted" ] || { [ "$when" = late ] && compgen -G "$scratch/s.db.slurm/*/task.sh" >/dev/null; } && break
        sleep 0.05
    done
    kill -9 "$submitter"
    wait "$submitter" 2>/dev/null
    rm -f "$scratch/late"
done
row 0 "" sweep "$study" --store "$scratch/s.db" "${quiet[@]}"
says "80 are with tasks of an earlier command"
lacks submitted
until_task "$scratch/s.db.slurm" 0
"$orrery" sweep "$study" --store "$scratch/s.db" "${quiet[@]}" --wait >"$scratch/out" 2>"$scratch/err" &
waiting=$!
sleep 0.7
kill -TERM "$waiting"
wait "$waiting"
rc=$?
good=no
{ [ "$rc" -eq 130 ] && grep -q "the jobs go on" "$scratch/err" && grep -q "scancel --name=orrery-study-" "$scratch/err"; } || [ "$rc" -eq 0 ] && good=yes
judge "a signal while waiting: exit $rc" "$good"
until_gone
row 0 "" sweep "$study" --store "$scratch/s.db" "${quiet[@]}"
says "80 of 80 points have a result"
lacks submitted
same "the submitter was killed" "$scratch/s.db"
finish
