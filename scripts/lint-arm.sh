#!/bin/sh
# Clippy for the other architectures that the program is built for. It needs no
# linker and no C compiler: only their standard library, which rustup keeps with
# the toolchain (and checks against its checksum), so it is fetched once.
set -eu
cd "$(dirname "$0")/.."
say() { printf 'lint-arm: %s\n' "$*" >&2; }

# Apart from the host's build, which would otherwise be locked and rebuilt.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/lint-arm
export CARGO_TARGET_DIR
cargo=${CARGO:-cargo}
libraries=$(rustc --print sysroot)/lib/rustlib

has_library() { ls "$libraries/$1"/lib/libstd-*.rlib >/dev/null 2>&1; }

# fetch TRIPLE: why it cannot be fetched and what would help, in one line, and 1.
fetch() {
    if ! command -v rustup >/dev/null 2>&1; then
        echo "rustup is not installed; install it (https://rustup.rs), then: rustup target add $1"
        return 1
    fi
    if ! answer=$(timeout 120 rustup target add "$1" 2>&1); then
        cause=$(printf '%s\n' "$answer" | sed -n 's/^error: //p' | head -n 1)
        echo "${cause:-no answer within 120 s}; rustup target add $1"
        return 1
    fi
    if ! has_library "$1"; then
        echo "rustup added it to another toolchain than rustc's; rustup target list --installed"
        return 1
    fi
}

# lint NAME TRIPLE ARGUMENTS...
lint() {
    name=$1 triple=$2
    shift 2
    if ! has_library "$triple" && ! reason=$(fetch "$triple"); then
        say "SKIP lint of $name: $reason"
        return 0
    fi
    begun=$(date +%s)
    # shellcheck disable=SC2086 # a command and its words
    $cargo clippy --target "$triple" "$@" -- -D warnings
    say "ok $name: $(($(date +%s) - begun)) s"
}

# Tests only for one of the two: what only tests need is a third of the work.
lint aarch64 aarch64-unknown-linux-gnu --workspace --all-targets
lint armv7 armv7-unknown-linux-gnueabihf --workspace
