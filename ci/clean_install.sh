#!/usr/bin/env bash
# clean_install.sh PACKAGE…: each wheel of dist/ alone in an empty environment, then import, reset and step.
# `make clean-install` builds the wheels first.  Nothing but the core dependencies is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
repo=$PWD
python="$repo/${VENV:-.venv}/bin/python"
constraints="$repo/${CONSTRAINTS:-ci/constraints-py311.txt}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The wheels of the libraries that a package needs are named along with its own: they are on no index.
install_alone() { # environment, wheels…
    local environment=$1
    "$python" -m venv --without-pip "$environment"
    "$python" -m pip --python "$environment/bin/python" install --quiet --no-compile --constraint "$constraints" "${@:2}"
}

newest_wheel() { # distribution
    local wheels
    wheels=$(ls -t "$repo/dist/${1//-/_}"-*.whl 2>/dev/null) || { echo "no wheel of $1 in dist/" >&2; return 1; }
    head -n 1 <<<"$wheels"
}

cd "$work" # nothing of the repository is importable from here
started=$SECONDS
shared=$(newest_wheel rlenv-shared) # apart, because a failure inside an argument would not stop the script
install_alone "$work/shared" "$shared"
"$work/shared/bin/python" -I -c 'import rlenv_shared; print("rlenv_shared", rlenv_shared.__version__)'
echo "clean install: rlenv-shared, $((SECONDS - started)) s"

for package in "$@"; do
    started=$SECONDS
    wheels=()
    for name in $(cd "$repo" && "$python" -m ci.workspace core "$package") "$package"; do
        wheel=$(newest_wheel "$name")
        wheels+=("$wheel")
    done
    install_alone "$work/$package" "${wheels[@]}"
    "$work/$package/bin/python" -I -m rlenv_shared.verification "$package" smoke
    echo "clean install: $package, $((SECONDS - started)) s"
    rm -rf "${work:?}/$package"
done
