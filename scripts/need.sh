#!/bin/sh
# Installs what a make target needs and what is not there yet. Says what it
# does; changes nothing else. Debian and Ubuntu by apt-get; elsewhere it names
# what is missing.
set -eu

say() { printf 'need: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

install() {
    # install PACKAGE...
    if ! have apt-get; then
        say "please install: $*"
        return 1
    fi
    as_root=
    if [ "$(id -u)" != 0 ]; then
        if ! have sudo; then
            say "please install as root: apt-get install $*"
            return 1
        fi
        as_root=sudo
    fi
    say "installing $*"
    # A list of packages that was never fetched looks like missing packages.
    if ! apt-cache show "$1" >/dev/null 2>&1; then
        $as_root apt-get update -qq
    fi
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

need_rust() {
    if ! have cargo; then
        say "cargo is missing: install a Rust toolchain, 1.89 or newer (https://rustup.rs)"
        exit 2
    fi
    have cc || install gcc libc6-dev
}

need_node() {
    if ! have node || ! have npm; then
        install nodejs npm
    fi
    major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
    if [ "$major" -lt 18 ]; then
        say "node $(node --version) is too old for the browser test: 18 or newer is needed"
        exit 2
    fi
    if [ ! -e ui/node_modules/.package-lock.json ] ||
        [ ui/package-lock.json -nt ui/node_modules/.package-lock.json ]; then
        say "installing the front end's packages"
        (cd ui && npm ci --no-audit --no-fund --loglevel=error)
    fi
}

want() {
    # want PROGRAM|FILE PACKAGE
    have "$1" || [ -e "$1" ] || [ -e "/usr/sbin/$1" ] || missing="$missing $2"
}

# Everything for virtual machines and kernel modules. Not fatal: the laboratory
# skips what it cannot run, with the reason.
need_lab() {
    missing=
    want qemu-system-x86_64 qemu-system-x86
    want qemu-system-aarch64 qemu-system-arm
    want gcc-12 gcc-12
    want cc gcc
    want make make
    want cpio cpio
    want xz xz-utils
    want depmod kmod
    want sparse sparse
    want dkms dkms
    case "$(uname -m)" in
    x86_64)
        want aarch64-linux-gnu-gcc-12 gcc-12-aarch64-linux-gnu
        want /usr/aarch64-linux-gnu/lib/libc.a libc6-dev-arm64-cross
        ;;
    aarch64)
        want x86_64-linux-gnu-gcc-12 gcc-12-x86-64-linux-gnu
        want /usr/x86_64-linux-gnu/lib/libc.a libc6-dev-amd64-cross
        ;;
    esac
    # shellcheck disable=SC2086 # a list of packages
    [ -z "$missing" ] || install $missing ||
        say "not everything could be installed: the laboratory skips what needs it"
}

# More than the everyday test needs: a kernel is built here.
need_lab_debug() {
    missing=
    want flex flex
    want bison bison
    want bc bc
    want gcc gcc
    want /usr/include/gelf.h libelf-dev
    # shellcheck disable=SC2086 # a list of packages
    [ -z "$missing" ] || install $missing ||
        say "not everything could be installed: the laboratory skips what needs it"
}

# libFuzzer is C++, compiled with the programs of the fuzzer.
need_fuzz() {
    have c++ || have g++ || have clang++ || install g++
}

need_mutants() {
    if ! have cargo-mutants; then
        say "installing cargo-mutants"
        cargo install --locked --quiet cargo-mutants
    fi
}

case "${1:-}" in
run)
    need_rust
    ;;
test)
    need_rust
    rustup component list --installed 2>/dev/null | grep -q clippy ||
        have cargo-clippy || { say "clippy is missing: rustup component add clippy rustfmt"; exit 2; }
    have chromium || have chromium-browser || install chromium
    have stress-ng || install stress-ng
    need_node
    need_lab
    ;;
lab)
    need_rust
    need_lab
    ;;
lab-debug)
    need_rust
    need_lab
    need_lab_debug
    ;;
fuzz)
    need_rust
    need_fuzz
    ;;
mutants)
    need_rust
    need_mutants
    ;;
*)
    say "usage: scripts/need.sh run|test|lab|lab-debug|fuzz|mutants"
    exit 2
    ;;
esac
