#!/usr/bin/env bash
# check_tools.sh TOOL…: fails with what is missing and how to get it.
# TOOL: python=<interpreter>, python3.12=<interpreter> (that version or newer), cargo, cc
set -euo pipefail

missing() { # what, got, expected, remedy
    printf 'cannot set up: %s\n  got:      %s\n  expected: %s\n  remedy:   %s\n' "$@" >&2
    exit 1
}

for tool in "$@"; do
    case "$tool" in
    python=*)
        python="${tool#python=}"
        [ -n "$python" ] && command -v "$python" >/dev/null 2>&1 || missing "no Python interpreter" "'$python'" \
            "Python 3.11 or newer" "install one, or name it: make setup PYTHON=/path/to/python3.11"
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || missing "this Python is too old" \
            "$("$python" --version 2>&1) ($python)" "Python 3.11 or newer" \
            "install one, or name it: make setup PYTHON=/path/to/python3.11"
        "$python" -c 'import venv, ensurepip' 2>/dev/null || missing "this Python cannot make virtual environments" \
            "$python without venv or ensurepip" "both modules" "on Debian and Ubuntu: apt-get install python3-venv"
        ;;
    python3.12=*)
        python="${tool#*=}"
        "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || missing \
            "no Python for the CUDA versions" "'$python'" "Python 3.12 or newer" \
            "name one: make setup-gpu-report GPU_PYTHON=/path/to/python3.12"
        ;;
    cargo)
        command -v cargo >/dev/null 2>&1 || missing "no Rust compiler" "no cargo on the PATH" \
            "cargo and rustc, stable" "install Rust with rustup, or a distribution's package, then open a new shell"
        ;;
    cc)
        command -v cc >/dev/null 2>&1 || missing "no C compiler" "no cc on the PATH" "gcc or clang as cc" \
            "on Debian and Ubuntu: apt-get install build-essential"
        ;;
    esac
done
