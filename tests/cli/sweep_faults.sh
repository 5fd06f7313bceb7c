#!/usr/bin/env bash
# What can happen to a sweep beside the kills of sweep.sh: workers that are killed all the time, or stopped; two sweeps at one
# instant; a store that is deleted, moved, replaced or cut short under it; a full disk; a store that cannot be written. Each says
# what happened, and the same command ends with the results of a study left in peace.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery=$(realpath "${ORRERY:-build/release/orrery}")
scratch=$(mktemp -d)
trap 'umount "$scratch/disk" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
passed=0
failed=0
skipped=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash
RANDOM=${SWEEP_SEED:-1}
quiet=(--quiet --workers 2)
study=$scratch/study.yaml
cat >"$study" <<'END'
base:
  job: llama3-8b
  cluster: preset:dgx-h100,nodes=1
  plan: seq=2048,global-batch=32,zero=1
  run.fold: false
axes:
  plan.tp: [1, 2, 4, 16]
  plan.pp: [1, 2]
  plan.micro-batch: [1, 2]
  system.launch-overhead: {from: 1us, to: 4us, step: 1us}
END
skip() { # WHY
    echo "skipped: $1"
    skipped=$((skipped + 1))
}
same() { # NAME STORE
    local good=no
    "$orrery" results "$2" --format csv >"$scratch/export.csv" 2>/dev/null && cmp -s "$scratch/export.csv" "$scratch/peace.csv" && good=yes
    judge "$1: not the export of an undisturbed study" "$good"
}
begin() { # STORE OPTIONS..: a sweep in the background, until it has workers
    local store=$1
    shift
    "$orrery" sweep "$study" --store "$store" "${quiet[@]}" "$@" >"$scratch/out" 2>"$scratch/err" &
    master=$!
    for _ in $(seq 400); do
        workers=$(children "$master") && [ "$(wc -w <<<"$workers")" -ge 2 ] && return
        sleep 0.01
    done
}
ends() { # NAME EXIT TEXT: the sweep in the background
    local rc=0 good=no
    wait "$master" || rc=$?
    [ "$rc" -eq "$2" ] && { [ -z "$3" ] || grep -qF -- "$3" "$scratch/err"; } && good=yes
    judge "$1: exit $rc (want $2, \"$3\")" "$good"
}
again() { # NAME STORE: the same command brings all
    row 0 "" sweep "$study" --store "$2" "${quiet[@]}"
    same "$1" "$2"
}
row 0 "" sweep "$study" --store "$scratch/peace.db" "${quiet[@]}"
"$orrery" results "$scratch/peace.db" --format csv >"$scratch/peace.csv"

# -- workers ---------------------------------------------------------------------------------------
begin "$scratch/w.db"
kills=0
while kill -0 "$master" 2>/dev/null && [ "$kills" -lt 200 ]; do
    worker=$(children "$master" | shuf -n 1 --random-source=<(yes "$kills"))
    [ -n "$worker" ] && kill -9 "$worker" 2>/dev/null && kills=$((kills + 1))
    sleep "0.0$((RANDOM % 5 + 3))"
done
ends "$kills workers killed" 0 ""
row 0 "" sweep "$study" --store "$scratch/w.db" "${quiet[@]}" --retry # of points that were killed three times
same "$kills workers killed" "$scratch/w.db"
good=no
[ "$kills" -ge 5 ] && good=yes
judge "only $kills workers were killed" "$good"

begin "$scratch/stop.db"
for worker in $workers; do kill -STOP "$worker"; done
sleep 0.3
for worker in $workers; do kill -CONT "$worker"; done
ends "stopped workers" 0 ""
same "stopped workers" "$scratch/stop.db"

begin "$scratch/limit.db" --time-limit 1s
kill -STOP "$(head -n 1 <<<"$workers")"
ends "a worker that stays stopped" 0 ""
row 0 "" sweep "$study" --store "$scratch/limit.db" "${quiet[@]}" --retry
same "a worker that stays stopped" "$scratch/limit.db"

# As whoever ends all processes of a job does: the workers before their master.
begin "$scratch/term.db"
for worker in $workers "$master"; do kill -TERM "$worker"; sleep 0.05; done
ends "all are told to end" 130 "goes on from here"
again "all are told to end" "$scratch/term.db"

# -- two at one instant ----------------------------------------------------------------------------
for round in 1 2 3 4; do
    for i in 1 2; do
        "$orrery" sweep "$study" --store "$scratch/both$round.db" "${quiet[@]}" >"$scratch/out$i" 2>"$scratch/err$i" &
        pid[i]=$!
    done
    wait "${pid[1]}"
    rc1=$?
    wait "${pid[2]}"
    rc2=$?
    cat "$scratch/err1" "$scratch/err2" >"$scratch/err"
    good=no
    case "$rc1 $rc2" in
    "0 5" | "5 0") grep -q "another sweep" "$scratch/err" && good=yes ;;
    "0 0") good=yes ;; # one after the other
    esac
    judge "two at once: exit $rc1 and $rc2" "$good"
    same "two at once" "$scratch/both$round.db"
done

# -- the store is taken away -----------------------------------------------------------------------
while IFS='|' read -r name how text; do
    rm -rf "$scratch/d" && mkdir "$scratch/d"
    begin "$scratch/d/s.db"
    sleep 0.2
    (cd "$scratch/d" && eval "$how")
    ends "$name" 5 "$text"
    rm -rf "$scratch/d" && mkdir "$scratch/d"
    again "$name" "$scratch/d/s.db"
done <<'END'
deleted|rm s.db s.db-wal s.db-shm|the store was deleted or moved
moved|mv s.db t.db|the store was deleted or moved
replaced|cp s.db t.db; mv t.db s.db|the store was replaced
cut short|truncate -s 0 s.db|the store was cut short
the folder vanishes|rm -rf ../d|the store was deleted or moved
the folder is moved|mv ../d ../e|the store was deleted or moved
END
row 0 "" results "$scratch/e/s.db" --limit 1 # what was moved is whole
begin "$scratch/moved.db"
sleep 0.2
mv "$scratch/moved.db" "$scratch/there.db"
ends "moved" 5 "the same command runs again"
had=$(sed -n 's/^\([0-9]*\) of 64 points.*/\1/p' "$scratch/err")
row 0 "" results "$scratch/there.db" --where "state != 'pending'"
says "of which ${had:-none} have ended"
again "moved, and gone on with" "$scratch/there.db"
head -c 20000 "$scratch/peace.db" >"$scratch/half.db"
row 3 "move it away" sweep "$study" --store "$scratch/half.db" "${quiet[@]}"
row 3 "malformed" results "$scratch/half.db"

# -- a disk ----------------------------------------------------------------------------------------
mkdir "$scratch/disk"
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=160k tmpfs "$scratch/disk" 2>/dev/null; then
    row 5 "make room" sweep "$study" --store "$scratch/disk/s.db" "${quiet[@]}"
    row 0 "" results "$scratch/disk/s.db" --limit 1
    mount -o remount,size=4m "$scratch/disk"
    again "a full disk" "$scratch/disk/s.db"
    if mount -o remount,ro "$scratch/disk" 2>/dev/null; then
        row 0 "" results "$scratch/disk/s.db" --limit 1
        row 5 "writable" sweep "$study" --store "$scratch/disk/s.db" "${quiet[@]}"
        row 5 "writable" sweep "$study" --store "$scratch/disk/new.db" "${quiet[@]}"
    else
        skip "a file system cannot be made read-only here"
    fi
    umount "$scratch/disk"
else
    skip "a full disk: only root can mount one"
fi

# -- no right to write, as somebody who is not root ------------------------------------------------
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    cp "$orrery" "$scratch/orrery"
    printf '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "%s/orrery" "$@"\n' "$scratch" >"$scratch/nobody"
    chmod 755 "$scratch" "$scratch/orrery" "$scratch/nobody"
    chmod 644 "$scratch/peace.db" "$study"
    orrery=$scratch/nobody
    row 5 "writable" sweep "$study" --store "$scratch/peace.db" "${quiet[@]}"
    row 5 "writable" sweep "$study" --store "$scratch/none.db" "${quiet[@]}"
    row 0 "" results "$scratch/peace.db" --limit 1
else
    skip "no right to write: sweep.sh tries it where it is not root"
fi
echo "cli: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
