#!/usr/bin/env bash
# Everything that is checked before a change lands.  `make test` and CI both run this file, and each stage is a make
# target, so any of them can be run alone.  Prints the seconds of each stage, also when one fails.
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL
export RLENV_REQUIRE_REFERENCES=1 # a missing reference fails the tests instead of skipping them

# These keep one core busy each: two at a time, long ones first; what is joined by a comma runs one after the other.
CHECKS=(notebooks,docs clean-install types check-gpu check-mutations check-results check-layout lint-python)
# CI's machine may have no browser; where there is one, the pages are opened in it as well.
if command -v chromium chromium-browser google-chrome >/dev/null; then CHECKS=("${CHECKS[@]/%docs/docs-pictures}"); fi
export REPORTS=.cache/reports

rm -rf "$REPORTS"
mkdir -p "$REPORTS"

# run STAGE...: each in turn; what it took is a line of the summary.
run() {
    local stage started verdict all=0
    for stage in "$@"; do
        echo "=== $stage"
        started=$SECONDS verdict=""
        make --no-print-directory "$stage" </dev/null || verdict="  FAILED" all=1
        printf '%-16s %7d%s\n' "$stage" $((SECONDS - started)) "$verdict" >>"$REPORTS/summary"
    done
    return $all
}

# Prints the output of stages as a whole, so that of others does not mix with it.
run_apart() {
    WORKERS=1 run ${1//,/ } >"$REPORTS/$1.out" 2>&1
    cat "$REPORTS/$1.out"
}
export -f run run_apart

run test-rust lint-rust >"$REPORTS/rust" 2>&1 & # need no virtual environment, whose making leaves a core idle
if run setup && run refs; then                   # nothing else can run without them
    run test-quick
    printf '%s\n' "${CHECKS[@]}" | xargs -P 2 -I STAGE bash -c 'run_apart STAGE'
fi
wait
cat "$REPORTS/rust"

echo
echo "stage            seconds"
cat "$REPORTS/summary"
printf '%-16s %7d\n' total $SECONDS
failed=$(awk '$3 == "FAILED" { printf "%s%s", sep, $1; sep = ", " }' "$REPORTS/summary")
# Counted from the reports of pytest, so that a run that tested nothing cannot pass.
python3 -m ci.count_tests "$REPORTS" || failed="${failed:+$failed, }no test ran"
if [ -n "$failed" ]; then
    echo "FAILED: $failed"
    exit 1
fi
echo "every stage passed"
