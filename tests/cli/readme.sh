#!/usr/bin/env bash
# Code blocks of the README are real runs. A comment before a block says how it is held:
#   <!-- exact -->            its command ("$ ..") prints exactly what stands there
#   <!-- shape [FROM TO] -->  the same lines in the same order, but for their figures, which follow constants that are tuned;
#                             ".." stands for lines left out, and FROM in the command is replaced by TO (a shorter run)
#   <!-- path -->             several commands ("$ ..") that build on each other, over all such blocks, in one folder; each ends
#                             well, and prints the lines below it in shape. The study has fewer points here, so that of what
#                             is said of its store only the exit code is held; a server ends by itself.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
export ORRERY="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
ORRERY=$(realpath "$ORRERY")
passed=0
failed=0

# Splits the README: $scratch/N.mode, N.command (its continuation lines joined) and N.text.
awk -v to="$scratch" '
    /^<!-- (exact|shape|path)/ { mode = $0; gsub(/<!-- | -->/, "", mode); next }
    /^```/ && mode != "" && !inside { inside = 1; n++; print mode > (to "/" n ".mode"); first = 1; next }
    /^```/ && inside { inside = 0; mode = ""; close(to "/" n ".text"); next }
    inside && first { line = $0; sub(/^\$ /, "", line); more = sub(/\\$/, "", line)
                      printf "%s%s", line, more ? " " : "\n" > (to "/" n ".command"); first = more; next }
    inside { print > (to "/" n ".text") }' README.md

# Figures, units, the width of columns, where a long list is broken, and which plan wins are not shape.
shape() {
    sed -E -e '/^ {14}/d' -e 's/[0-9][0-9.,]*/N/g; s/NxN/N/g; s/ -( |$)/ N\1/g' \
        -e 's/N [kMGTPE]?(ns|us|ms|s|ps|B|B\/s)\b/N U/g' \
        -e 's/\b(none|selective|full|true|false|interleaved|NfNb|gpipe|zero-bubble)\b/W/g' \
        -e 's/ +/ /g; s/ $//'
}

# Are the lines of file 1 in file 2, in this order? Prints the first that is not.
in_order() {
    awk 'NR == FNR { want[++count] = $0; next }
         at < count && $0 == want[at + 1] { at++ }
         END { if (at < count) { print "not there, or not in this place: " want[at + 1]; exit 1 } }' "$1" "$2"
}

# One command of a path: $1 is the command, $2 what stands below it.
walk_step() {
    local command=${1//configs\/examples\/studies\/topologies.yaml/topologies.yaml} want=$2 out
    command=$(sed -E 's/\.db:[0-9]*([0-9])/.db:\1/g' <<<"$command") # it has points 0 to 23
    [[ $command == "orrery serve"* ]] && command+=" --open-for 500ms"
    [[ $command == *" --output "*.png* ]] && ! command -v rsvg-convert >/dev/null && return 0
    # shellcheck disable=SC2317 # the command calls it
    out=$(cd "$scratch/path" && orrery() { "$ORRERY" "$@"; } && eval "$command" 2>&1 </dev/null) || {
        echo "$out"
        return 1
    }
    local file
    while read -r _ file; do
        [ -s "$scratch/path/$file" ] || { echo "no $file"; return 1; }
    done < <(grep -oE -- '--(output|html|timeline) [^ ]+' <<<"$command")
    [[ -z $want || $command == *topologies.* ]] && return 0
    in_order <(grep -vxE ' *\.\.' <<<"$want" | sed '/^$/d' | shape) <(shape <<<"$out")
}

# All commands of a block, from its first ($1) on and those between the lines of file $2.
walk() {
    local command=$1 want="" line more=""
    mkdir -p "$scratch/path"
    ln -sfn "$PWD/configs" "$scratch/path/configs"
    sed 's/count: 500/count: 24/' configs/examples/studies/topologies.yaml >"$scratch/path/topologies.yaml"
    while IFS= read -r line; do
        if [ -n "$more" ]; then
            command+=" $line"
        elif [[ $line == '$ '* ]]; then
            walk_step "$command" "$want" || { echo "at: $command"; return 1; }
            command=${line#'$ '}
            want=""
        else
            want+="$line"$'\n'
            continue
        fi
        more=""
        [[ $command == *\\ ]] && more=yes && command=${command%\\}
    done <"$2"
    walk_step "$command" "$want" || { echo "at: $command"; return 1; }
}

for mode in "$scratch"/*.mode; do
    n=${mode%.mode}
    read -r kind from to <"$mode"
    command=$(<"$n.command")
    if [ "$kind" = path ]; then
        if walk "$command" "$n.text"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: README.md: $command, and what follows it"
        fi
        continue
    fi
    [ -n "${from:-}" ] && command=${command//"$from"/"$to"}
    command=${command//scale.svg/"$scratch/scale.svg"}
    bash -c "orrery() { \"\$ORRERY\" \"\$@\"; }; $command" >"$n.out" 2>"$n.err" </dev/null
    good=yes
    if [ "$kind" = exact ]; then
        diff -u --label README.md --label actual "$n.text" "$n.out" || good=no
    elif [ -n "${from:-}" ]; then # fewer rows: each line of the run is in the README
        in_order <(shape <"$n.out") <(shape <"$n.text") || good=no
        [ -s "$n.out" ] || good=no
    else
        in_order <(grep -vxE ' *\.\.' "$n.text" | shape) <(shape <"$n.out") || good=no
    fi
    if [ "$good" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: README.md: $command"
        cat "$n.err"
    fi
done
[ "$passed" -gt 0 ] || failed=$((failed + 1))
echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
