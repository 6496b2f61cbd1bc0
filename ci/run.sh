#!/usr/bin/env bash
# Everything that is checked before a change lands.  `make test` and CI both run this file, and each stage is a make
# target, so any of them can be run alone.  Prints the seconds of each stage, also when one fails.
set -uo pipefail
cd "$(dirname "$0")/.."
unset MAKEFLAGS MAKELEVEL
export RLENV_REQUIRE_REFERENCES=1 # a missing reference fails the tests instead of skipping them

STAGES=(setup refs lint types check-layout test-l1 test-l2 test-l3 check-mutations check-gpu notebooks docs wheels clean-install check-results)
# CI's machine may have no browser; where there is one, the pages are opened in it as well.
if command -v chromium chromium-browser google-chrome >/dev/null; then STAGES=("${STAGES[@]/%docs/docs-pictures}"); fi
NEEDED=" setup refs " # nothing after these can run without them
REPORTS=.cache/reports

rm -rf "$REPORTS"
failed=()
summary=()
begin=$SECONDS

finish() {
    echo
    echo "stage            seconds"
    printf '%s\n' "${summary[@]}"
    printf '%-16s %7d\n' total $((SECONDS - begin))
    # Counted from the reports of pytest, so that a run that tested nothing cannot pass.
    python3 -m ci.count_tests "$REPORTS" || failed+=("no test ran")
    if [ ${#failed[@]} -gt 0 ]; then
        printf 'FAILED: %s\n' "$(IFS=,; echo "${failed[*]}" | sed 's/,/, /g')"
        exit 1
    fi
    echo "every stage passed"
}

for stage in "${STAGES[@]}"; do
    echo "=== $stage"
    started=$SECONDS
    if make --no-print-directory "$stage" </dev/null; then verdict=""; else verdict="  FAILED"; failed+=("$stage"); fi
    summary+=("$(printf '%-16s %7d%s' "$stage" $((SECONDS - started)) "$verdict")")
    if [ -n "$verdict" ] && [[ "$NEEDED" == *" $stage "* ]]; then break; fi
done
finish
