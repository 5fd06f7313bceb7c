#!/usr/bin/env bash
# T10: a chain of a million nodes of 1 us, and a million between two nodes of no cost, take exactly
# 1 s of simulated time each; no recursion (a small stack is enough) and bounded memory. The same for
# a schedule of one long chain.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
tools="${TOOLS:-build/release/tests/tools}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0
count=1000000
case "$orrery" in *asan*) count=100000 ;; esac

printf 'topology: [ Ring ]\nnpus_count: [ 2 ]\nbandwidth: [ 50.0 ]\nlatency: [ 500.0 ]\n' \
    >"$scratch/network.yml"
for shape in chain wide; do
    "$tools/make_graph" "$shape" "$count" "$scratch/trace.et"
    ulimit -s 256
    timeout 60 "$orrery" run --workload "$scratch/trace.et" --replicate \
        --network "$scratch/network.yml" --system tests/golden/inputs/ring.json --format astra \
        >"$scratch/out" 2>"$scratch/err"
    # The closing node of the wide graph is metadata: no cost.
    if grep -q "^sys\[0\] finished, ${count}000 cycles" "$scratch/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $shape: wanted ${count}000 cycles"
        head -n 3 "$scratch/out" "$scratch/err"
    fi
done

# A schedule whose sends are done as they leave: a chain of them is one instant, not a deep stack.
steps=20000
side() { # GPU PEER s|r MORE
    printf '<gpu id="%s" i_chunks="1" o_chunks="0" s_chunks="0">' "$1"
    [ "$3" = s ] && printf '<tb id="0" send="%s" recv="-1" chan="0">' "$2"
    [ "$3" = r ] && printf '<tb id="0" send="-1" recv="%s" chan="0">' "$2"
    seq 0 $((steps - 1)) | sed "s|.*|<step s=\"&\" type=\"$3\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" \
dstoff=\"0\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\" $4/>|"
    printf '</tb></gpu>'
}
{
    printf '<algo name="x" ngpus="2" nchunksperloop="1" coll="custom" inplace="1">'
    side 0 1 s 'wait="0"'
    side 1 0 r ''
    printf '</algo>'
} >"$scratch/chain.xml"
if timeout 60 "$orrery" collective all-reduce 1MB --topo ring:2 --algorithm "$scratch/chain.xml" \
    --fidelity analytical --format csv --quiet >"$scratch/out" 2>"$scratch/err" &&
    grep -q analytical "$scratch/out"; then
    passed=$((passed + 1))
else
    failed=$((failed + 1))
    echo "FAILED: a chain of $steps sends"
    head -n 3 "$scratch/out" "$scratch/err"
fi

# Too little address space for its nodes: the hint is about the limit that was met.
case "$orrery" in
*asan*) ;; # needs terabytes of it
*)
    rc=0
    (ulimit -v 60000 && "$orrery" info "$scratch/trace.et") >"$scratch/out" 2>"$scratch/err" || rc=$?
    if [ "$rc" -eq 6 ] && grep -q "hint: raise the shell's limit .*ulimit -v" "$scratch/err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: a limit on address space: exit $rc"
        head -n 3 "$scratch/out" "$scratch/err"
    fi
    # Without a better answer: what it is, and no place in our source.
    rc=0
    (ulimit -v 200000 && "$orrery" topo torus:128x128x64) >"$scratch/out" 2>"$scratch/err" || rc=$?
    if [ "$rc" -eq 6 ] && [ ! -s "$scratch/out" ] &&
        grep -q "^orrery: no-memory: memory is exhausted: .* MB\$" "$scratch/err"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: memory that runs out: exit $rc"
        head -n 3 "$scratch/out" "$scratch/err"
    fi
    ;;
esac
echo "cli: $passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
