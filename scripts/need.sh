#!/bin/sh
# Installs what a make target needs and what is not there yet, after saying what and how many
# megabytes. Changes nothing else. Debian and Ubuntu by apt-get; elsewhere one message names
# everything that is missing, as the system's own package manager calls it.
set -eu
cd "$(dirname "$0")/.."

say() { printf 'need: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1 || [ -e "/usr/sbin/$1" ]; }

# What is needed, and its packages: of apt, dnf, pacman and apk; - where there is none.
packages() {
    cat <<'END'
cc           gcc,libc6-dev               gcc,glibc-devel       gcc                    gcc,musl-dev
make         make                        make                  make                   make
git          git                         git                   git                    git
node         nodejs,npm                  nodejs,npm            nodejs,npm             nodejs,npm
chromium     chromium                    chromium              chromium               chromium
stress-ng    stress-ng                   stress-ng             stress-ng              stress-ng
qemu-x86     qemu-system-x86             qemu-system-x86       qemu-system-x86        qemu-system-x86_64
qemu-arm     qemu-system-arm             qemu-system-aarch64   qemu-system-aarch64    qemu-system-aarch64
gcc-12       gcc-12                      -                     -                      -
cpio         cpio                        cpio                  cpio                   cpio
xz           xz-utils                    xz                    xz                     xz
depmod       kmod                        kmod                  kmod                   kmod
sparse       sparse                      sparse                sparse                 sparse
dkms         dkms                        dkms                  dkms                   -
cross-arm64  gcc-12-aarch64-linux-gnu,libc6-dev-arm64-cross  gcc-aarch64-linux-gnu  aarch64-linux-gnu-gcc  -
cross-amd64  gcc-12-x86-64-linux-gnu,libc6-dev-amd64-cross   gcc-x86_64-linux-gnu   -                      -
flex         flex                        flex                  flex                   flex
bison        bison                       bison                 bison                  bison
bc           bc                          bc                    bc                     bc
libelf       libelf-dev                  elfutils-libelf-devel libelf                 elfutils-dev
c++          g++                         gcc-c++               gcc                    g++
END
}

manager=none
for known in apt-get dnf pacman apk; do
    if [ $manager = none ] && have $known; then
        manager=$known
    fi
done

# name NEED: its packages here, a word each; nothing where there are none.
name() {
    case $manager in
    apt-get | none) column=2 ;;
    dnf) column=3 ;;
    pacman) column=4 ;;
    apk) column=5 ;;
    esac
    packages | awk -v need="$1" -v c="$column" '$1 == need && $c != "-" { gsub(",", " ", $c); print $c }'
}

missing=
# want NEED PROGRAM|FILE: remembers what is not there.
want() {
    have "$2" || [ -e "$2" ] || missing="$missing $(name "$1")"
}

megabytes() { awk -v n="$1" 'BEGIN { printf "%.0f MB", n }'; }

# What apt would fetch and then keep.
apt_size() {
    # shellcheck disable=SC2086 # a list of packages
    LC_ALL=C apt-get install --assume-no --no-install-recommends $missing 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/\1 to fetch/p; s/^After this operation, \(.*\) of additional disk space.*/\1 on disk/p' |
        paste -sd, - | sed 's/,/, /'
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# A list of packages that was never fetched looks like missing packages.
fresh_list() {
    if ! apt-cache show cpio >/dev/null 2>&1 && { [ "$(id -u)" = 0 ] || have sudo; }; then
        as_root apt-get update -qq || true
    fi
}

# The command that installs packages here.
installer() {
    case $manager in
    apt-get) echo "apt-get install --no-install-recommends" ;;
    dnf) echo "dnf install" ;;
    pacman) echo "pacman -S --needed" ;;
    apk) echo "apk add" ;;
    none) echo "what Debian calls" ;;
    esac
}

# Installs what is missing; where that is not for us to do, says in one line what to type, and 1.
install() {
    # shellcheck disable=SC2086 # a list of packages
    missing=$(printf '%s\n' $missing | sort -u | paste -sd' ' -)
    [ -n "$missing" ] || return 0
    if [ "$manager" != apt-get ] || { [ "$(id -u)" != 0 ] && ! have sudo; }; then
        say "please install, as root: $(installer) $missing"
        return 1
    fi
    fresh_list
    say "installing $missing ($(apt_size))"
    # shellcheck disable=SC2086 # a list of packages
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null || {
        say "apt-get could not install all of: $missing"
        return 1
    }
}

rust_wanted() { sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml; }

# at_least VERSION WANTED
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# The first pair of packages of apt with a compiler that is new enough: Debian keeps one for its
# browsers (rustc-web) beside its own, Ubuntu several versions.
rust_of_apt() {
    fresh_list
    versions=$(apt-cache pkgnames rustc-1. 2>/dev/null | grep -E '^rustc-1\.[0-9]+$' | sort -Vr)
    for rustc in rustc rustc-web $versions; do
        has=$(LC_ALL=C apt-cache policy "$rustc" 2>/dev/null | sed -n 's/^  Candidate: \([0-9.]*\).*/\1/p')
        if [ -n "$has" ] && at_least "$has" "$1"; then
            echo "$rustc cargo${rustc#rustc}"
            return
        fi
    done
}

# The toolchain, or every way to get one: never an error of cargo's about its edition.
need_rust() {
    wanted=$(rust_wanted)
    cargo=${CARGO:-cargo}
    found=nothing
    if have "$cargo"; then
        found=$("$cargo" --version | sed 's/^cargo \([0-9.]*\).*/\1/')
        if at_least "$found" "$wanted"; then
            return 0
        fi
    fi
    of_apt=
    [ $manager != apt-get ] || of_apt=$(rust_of_apt "$wanted")
    if [ "$found" = nothing ] && [ -n "$of_apt" ]; then
        missing="$missing $of_apt"
        return 0
    fi
    if [ "$found" = nothing ]; then
        say "there is no cargo; Pontage is built with Rust $wanted or newer. One of:"
    else
        say "$cargo is $found; Pontage is built with Rust $wanted or newer. One of:"
    fi
    [ -z "$of_apt" ] || say "  apt-get install $of_apt      (replaces Debian's own rustc and cargo)"
    case $manager in
    dnf) say "  dnf install rust cargo          (Fedora's is new enough)" ;;
    pacman) say "  pacman -S rust" ;;
    apk) say "  apk add rust cargo              (from edge, where the release's is older)" ;;
    esac
    say "  rustup update stable            (install it from https://rustup.rs)"
    say "  the static program of a release: nothing is built then"
    return 2
}

need_node() {
    if ! have node || ! have npm; then
        missing="$missing $(name node)"
    fi
}

# After node is there.
front_end() {
    major=$(node --version | sed 's/^v\([0-9]*\).*/\1/')
    if [ "$major" -lt 18 ]; then
        say "node $(node --version) is too old for the browser test: 18 or newer is needed"
        return 2
    fi
    if ! front_end_is_there; then
        say "installing the front end's packages"
        (cd ui && npm ci --no-audit --no-fund --loglevel=error)
    fi
}

front_end_is_there() {
    installed=ui/node_modules/.package-lock.json
    [ -e $installed ] && [ -z "$(find ui/package-lock.json -newer $installed)" ]
}

# Everything for virtual machines and kernel modules.
want_lab() {
    want qemu-x86 qemu-system-x86_64
    want qemu-arm qemu-system-aarch64
    want gcc-12 gcc-12
    want cc cc
    want make make
    want cpio cpio
    want xz xz
    want depmod depmod
    want sparse sparse
    want dkms dkms
    case "$(uname -m)" in
    x86_64)
        want cross-arm64 aarch64-linux-gnu-gcc-12
        want cross-arm64 /usr/aarch64-linux-gnu/lib/libc.a
        ;;
    aarch64)
        want cross-amd64 x86_64-linux-gnu-gcc-12
        want cross-amd64 /usr/x86_64-linux-gnu/lib/libc.a
        ;;
    esac
}

# Not fatal: the laboratory skips what it cannot run, with the reason.
install_lab() {
    install || say "the laboratory skips what needs them, with the reason"
}

need_clippy() {
    have cargo-clippy || rustup component list --installed 2>/dev/null | grep -q clippy || {
        say "clippy is missing: rustup component add clippy rustfmt (install rustup from https://rustup.rs)"
        return 2
    }
}

# What is fetched besides packages, the first time, in MB: measured on Debian 12 of amd64.
CRATES_MB=35
FRONT_END_MB=60
LAB_MB=1800

announce_test() {
    more=
    [ -d "${CARGO_HOME:-$HOME/.cargo}/registry/cache" ] || more="$more; crates, about $(megabytes $CRATES_MB)"
    front_end_is_there || more="$more; the front end's packages, about $(megabytes $FRONT_END_MB)"
    [ -d "${XDG_CACHE_HOME:-$HOME/.cache}/pontage/lab" ] ||
        more="$more; the laboratory's kernels and what it builds, about $(megabytes $LAB_MB) in ~/.cache/pontage"
    if [ -n "$missing$more" ]; then
        say "the whole test needs, the first time:"
        if [ -n "$missing" ]; then
            sizes=
            [ $manager != apt-get ] || sizes=" ($(fresh_list; apt_size))"
            say "  packages:$missing$sizes"
        fi
        [ -z "$more" ] || say "  ${more#; }"
        say "  without them: make check"
    fi
}

case "${1:-}" in
run)
    need_rust
    want cc cc
    install
    ;;
check)
    need_rust
    need_clippy
    want cc cc
    want make make
    install
    ;;
test)
    need_rust
    want cc cc
    want make make
    have chromium-browser || want chromium chromium
    want stress-ng stress-ng
    need_node
    everyday=$missing
    want_lab
    announce_test
    if ! install; then
        # What the laboratory lacks it skips itself.
        [ -z "$everyday" ] || exit 2
        say "the laboratory skips what needs them, with the reason"
    fi
    need_clippy
    front_end
    ;;
lab)
    need_rust
    want_lab
    install_lab
    ;;
lab-debug)
    need_rust
    want_lab
    want flex flex
    want bison bison
    want bc bc
    want libelf /usr/include/gelf.h
    install_lab
    ;;
fuzz)
    # libFuzzer is C++, compiled with the programs of the fuzzer.
    need_rust
    have g++ || have clang++ || want c++ c++
    install
    ;;
mutants)
    need_rust
    install
    if ! have cargo-mutants; then
        say "installing cargo-mutants"
        cargo install --locked --quiet cargo-mutants
    fi
    ;;
*)
    say "usage: scripts/need.sh run|check|test|lab|lab-debug|fuzz|mutants"
    exit 2
    ;;
esac
