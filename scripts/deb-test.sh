#!/bin/sh
# Installs, uses and removes the Debian packages in a system of their own, which debootstrap makes:
# deb-test.sh [SUITE], trixie unless it says so. The modules are built for that suite's kernel. For root;
# fetches some 250 MB. PROFILE=dist tests the shipped program.
set -eu
cd "$(dirname "$0")/.."
suite=${1:-trixie}
mirror=${MIRROR:-http://deb.debian.org/debian}
skip() {
    echo "skip deb: $1"
    echo "enable: $2"
    exit 77
}
command -v debootstrap >/dev/null 2>&1 || [ -x /usr/sbin/debootstrap ] ||
    skip "debootstrap is not installed" "apt-get install debootstrap"
[ "$(id -u)" = 0 ] || skip "a system of its own is for root" "sudo scripts/deb-test.sh"

PROFILE=${PROFILE:-dev} scripts/deb.sh
# All of it in a folder that is ours alone: /tmp is everybody's.
work=$(mktemp -d)
root=$work/root
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/log" 2>&1 || {
    tail -n 5 "$work/log"
    exit 1
}
mount -t proc proc "$root/proc"
number=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
cp "target/dist/pontage_$number-1_$(dpkg --print-architecture).deb" "target/dist/pontage-dkms_$number-1_all.deb" "$root/tmp/"

# shellcheck disable=SC2016 # expanded inside
LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$root" sh -euc '
quietly() { "$@" >/tmp/log 2>&1 || { tail -n 20 /tmp/log; echo "not ok deb: $*"; exit 1; }; }
fail() { echo "not ok deb: $1"; exit 1; }
quietly apt-get update
quietly apt-get install -y --no-install-recommends /tmp/pontage_*.deb
cd /tmp
pontage run syscall/getppid --budget-ms 50 >run.txt 2>&1 || { cat run.txt; fail "it does not run"; }
[ -e /usr/share/bash-completion/completions/pontage ] || fail "no completions"
echo "ok deb: $(pontage --version): installed, run"
quietly apt-get install -y --no-install-recommends linux-headers-amd64 /tmp/pontage-dkms_*.deb
built=$(dkms status | grep -c "^cftu.*installed") || true
[ "$built" -ge 1 ] || fail "the modules are not built: $(dkms status)"
[ -n "$(find /lib/modules -name "cftu.ko*")" ] || fail "no module"
echo "ok deb: $(dkms status)"
quietly apt-get purge -y pontage pontage-dkms
[ -z "$(dkms status)" ] || fail "dkms keeps $(dkms status)"
left=$(find / -xdev \( -name "*pontage*" -o -name "cftu*" \) ! -path "/tmp/*" ! -path "/var/*" ! -path "/proc/*" | head)
[ -z "$left" ] || fail "left behind: $left"
echo "ok deb: removed, nothing is left"
'
