#!/bin/sh
# Builds the wheel, installs it into a fresh environment, uses it and removes it. As scripts/dist.sh
# the program is static, and PROFILE=dev takes the everyday build.
set -eu
cd "$(dirname "$0")/.."
profile=${PROFILE:-dev}
triple=$(uname -m)-unknown-linux-gnu

skip() {
    echo "skip wheel: $1"
    echo "enable: $2"
    exit 0
}
fail() {
    echo "not ok wheel: $1" >&2
    exit 1
}

python3 -m venv --help >/dev/null 2>&1 || skip "python3 has no venv" "apt-get install python3-venv"
tools=target/wheel/tools
if [ ! -x $tools/bin/maturin ]; then
    python3 -m venv $tools 2>/dev/null || skip "python3 cannot make an environment" "apt-get install python3-venv"
    $tools/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2' ||
        skip "maturin cannot be fetched" "$tools/bin/pip install maturin"
fi
PATH=$PWD/$tools/bin:$PATH

rm -rf target/wheel/built
# Static, so that it runs wherever pip is, however old its C library: there is nothing to audit.
(cd python && RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static" \
    maturin build --quiet --profile "$profile" --target "$triple" \
    --compatibility manylinux2014 --auditwheel skip --out ../target/wheel/built)
wheel=$(find target/wheel/built -name 'pontage-*.whl')
[ -n "$wheel" ] || fail "none was built"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/fresh"
"$work/fresh/bin/pip" install --quiet --disable-pip-version-check --no-index "$wheel"
grep -q '^License-Expression: MIT OR Apache-2.0' "$work"/fresh/lib/python3*/site-packages/pontage-*.dist-info/METADATA ||
    fail "it names no licence"
"$work/fresh/bin/pontage" --version | grep -q '^pontage [0-9]' || fail "it does not run"
(cd "$work" && "$work/fresh/bin/pontage" run syscall/getppid --budget-ms 50 >run.txt 2>said.txt) ||
    fail "run: $(cat "$work/said.txt")"
grep -q 'Entering the kernel and coming back' "$work/run.txt" || fail "run: $(cat "$work/run.txt")"
"$work/fresh/bin/pip" uninstall --quiet --disable-pip-version-check --yes pontage
[ ! -e "$work/fresh/bin/pontage" ] || fail "it is still there after pip uninstall"
echo "ok wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes: installed, run, removed"
