# shellcheck shell=bash disable=SC2154
# rows.bash - for scripts with one row per command; sourced after $orrery, $scratch, $passed and $failed are set.
#   row EXIT "TEXT THAT STANDARD ERROR HOLDS" ARGUMENTS..   (text "" : standard error is empty)

judge() { # NAME GOOD
    if [ "$2" = yes ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1"
        sed 's/^/    | /' "$scratch/err"
    fi
}

row() {
    local want="$1" text="$2" rc=0 good=yes
    shift 2
    timeout -k 5 60 "$orrery" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || rc=$?
    [ "$rc" -eq "$want" ] || good=no
    if [ -n "$text" ]; then
        grep -qF -- "$text" "$scratch/err" || good=no
    elif [ -s "$scratch/err" ]; then
        good=no
    fi
    # A mistake prints nothing on standard output: no half reports.
    case "$want" in 2 | 3 | 4 | 5) [ -s "$scratch/out" ] && good=no ;; esac
    judge "exit $rc (want $want, \"$text\"): orrery $*" "$good"
}

# says TEXT: the last command's standard output holds it.
says() {
    local good=yes
    grep -qF -- "$1" "$scratch/out" || good=no
    judge "standard output lacks \"$1\"" "$good"
}

# lacks TEXT: it does not.
lacks() {
    local good=yes
    grep -qF -- "$1" "$scratch/out" && good=no
    judge "standard output has \"$1\"" "$good"
}

children() { # PID: its children, one a line; fails if it has none (a bare Debian has no pgrep)
    grep -lE "^PPid:[[:space:]]+$1\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3 | grep .
}
