#!/usr/bin/env bash
# HTML pages and `orrery plot`: what is refused, the same bytes twice, drawings that are well-formed, and pages in a real
# browser (tests/page/check_pages.py; skipped without Chromium).
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
orrery="${ORRERY:-build/release/orrery}"
scratch=$(mktemp -d)
trap 'kill %% 2>/dev/null; rm -rf "$scratch"' EXIT
passed=0
failed=0
skipped=0
# shellcheck source=tests/cli/rows.bash
. tests/cli/rows.bash

same() { # NAME FILE FILE
    judge "$1" "$(cmp -s "$2" "$3" && echo yes || echo no)"
}
absent() { # FILE
    judge "$1 is not there" "$([ -e "$1" ] && echo no || echo yes)"
}

study=$scratch/study.db
"$orrery" sweep configs/examples/studies/parallelism.yaml --store "$study" --quiet --workers 2 >"$scratch/out" 2>"$scratch/err"
judge "a study" "$([ -s "$study" ] && echo yes || echo no)"
job=(llama3-8b --cluster "preset:dgx-h100,nodes=2" --plan "tp=4,pp=2,seq=2048,global-batch=16" --network-backend flow)

# -- what is refused -------------------------------------------------------------------------------
row 2 "goes with no other option" results "$study" --html "$scratch/x.html" --where "plan.tp > 2"
row 2 "goes with no other option" results "$study" --html "$scratch/x.html" --format csv
row 5 "cannot write" results "$study" --html "$scratch/absent/x.html"
row 5 "cannot write" run "${job[@]}" --html "$scratch/absent/x.html"
row 2 "a study has the charts scaling" plot "$study"
row 2 'did you mean "pareto"?' plot "$study" --chart paretto
row 2 'did you mean "breakdown"?' plot "${job[@]}" --chart breakdwn
row 2 "ends in .svg" plot "$study" --chart pareto --output "$scratch/x.gif"
row 2 'there is no column "nope"' plot "$study" --chart scaling --x nope
row 2 "DOWN,ACROSS,VALUE" plot "$study" --chart heat-map
row 2 "no point that is ok" plot "$study" --chart pareto --where "plan.tp > 100"
row 2 "expected a number from 20" plot "$study" --chart pareto --width 1
row 2 "nothing for the chart memory" plot configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload --replicate \
    --chart memory
row 5 "cannot write" plot "$study" --chart pareto --output "$scratch/absent/x.svg"
absent "$scratch/x.gif"
rc=0
PATH=/nowhere "$orrery" plot "$study" --chart pareto --output "$scratch/none.png" >"$scratch/out" 2>"$scratch/err" || rc=$?
judge "no rsvg-convert: exit $rc" "$([ "$rc" -eq 5 ] && grep -q librsvg2-bin "$scratch/err" && echo yes || echo no)"
absent "$scratch/none.png"

# -- drawings --------------------------------------------------------------------------------------
well_formed() { # FILE..: XML, without a place that is not a number
    python3 -c 'import sys, xml.dom.minidom
for path in sys.argv[1:]:
    text = open(path, encoding="utf-8").read()
    xml.dom.minidom.parseString(text)
    assert "nan" not in text.replace("nanosecond", "") and "inf\"" not in text, path' "$@" 2>"$scratch/err"
}
for chart in scaling pareto distribution; do
    row 0 "" plot "$study" --chart $chart --output "$scratch/$chart.svg"
    row 0 "" plot "$study" --chart $chart --output "$scratch/again.svg"
    same "$chart twice" "$scratch/$chart.svg" "$scratch/again.svg"
done
row 0 "" plot "$study" --chart heat-map --pivot plan.tp,plan.pp,time_s,least --output "$scratch/heat.svg"
row 0 "" plot "$study" --chart scaling --x plan.tp --by plan.pp --log-x --log-y --median --width 84 --height 60 --font 7 \
    --title "a <b> & c" --where "plan.zero == 1" --output "$scratch/small.svg"
for chart in breakdown critical-path collectives memory links network; do
    row 0 "" plot "${job[@]}" --chart $chart --output "$scratch/run-$chart.svg"
done
if command -v python3 >/dev/null; then
    judge "drawings are XML" "$(well_formed "$scratch"/*.svg && echo yes || echo no)"
else
    skipped=$((skipped + 1))
fi
if command -v rsvg-convert >/dev/null; then
    # 84 mm at 300 dots per inch are 992 of them.
    row 0 "" plot "$study" --chart pareto --width 84 --output "$scratch/p.png"
    width=$(od -An -tu1 -j16 -N4 "$scratch/p.png" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')
    judge "a PNG is $width wide" "$([ "$width" -ge 991 ] && [ "$width" -le 993 ] && echo yes || echo no)"
    row 0 "" plot "$study" --chart pareto --output "$scratch/p.pdf"
    row 0 "" plot "$study" --chart pareto --output "$scratch/q.pdf"
    same "a PDF twice" "$scratch/p.pdf" "$scratch/q.pdf"
    judge "it is a PDF" "$(head -c 5 "$scratch/p.pdf" | grep -q '%PDF-' && echo yes || echo no)"
else
    skipped=$((skipped + 4))
fi

# -- pages -----------------------------------------------------------------------------------------
pages=$scratch/pages
mkdir "$pages"
row 0 "" results "$study" --html "$pages/study.html"
row 0 "" results "$study" --html "$scratch/again.html"
same "a study's page twice" "$pages/study.html" "$scratch/again.html"
row 0 "" run "${job[@]}" --output "$scratch/report" --html "$pages/run.html"
row 0 "" run llama3-8b --cluster preset:dgx-h100,nodes=8 --plan tp=2,pp=4,zero=1,seq=2048,global-batch=64 \
    --output "$scratch/report" --html "$pages/close.html"
row 0 "" run "${job[@]}" --output "$scratch/report" --html "$scratch/again.html"
same "a run's page twice" "$pages/run.html" "$scratch/again.html"
mkdir "$scratch/x<"
name="$scratch/x<"$'/script><b onclick=\'x()\'>"&\xe2\x80\xae.et'
cp configs/examples/dp8/workload.all.et "$name"
row 0 "" run configs/examples/all_reduce.yaml --workload "$name" --replicate --quiet --output "$scratch/report" \
    --html "$pages/hostile.html"
judge "a page has two scripts, whatever names are" "$([ "$(grep -c '</script>' "$pages/hostile.html")" -eq 2 ] && echo yes || echo no)"
judge "addresses of other places in no page" "$(grep -qE '(src|href)="(https?:)?//' "$pages"/*.html && echo no || echo yes)"

if command -v "${CHROMIUM:-chromium}" >/dev/null && command -v python3 >/dev/null; then
    address=-
    "$orrery" serve "$study" --open-for 5min >"$scratch/served" 2>&1 &
    for _ in $(seq 50); do
        address=$(grep -oE 'http://[^ ]+' "$scratch/served" | head -1)
        [ "$address" ] && break
        sleep 0.1
    done
    timeout -k 5 300 python3 tests/page/check_pages.py "$pages" "${address:--}" >"$scratch/browser" 2>&1
    counts=$(tail -1 "$scratch/browser")
    if [[ $counts =~ ^[0-9]+\ [0-9]+$ ]]; then
        passed=$((passed + ${counts% *}))
        failed=$((failed + ${counts#* }))
        sed '$d' "$scratch/browser"
    else
        failed=$((failed + 1))
        echo "FAILED: the browser's checks did not end"
        cat "$scratch/browser"
    fi
else
    skipped=$((skipped + 1))
    echo "skipped: no Chromium (chromium, python3)"
fi

echo "pages: $passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
