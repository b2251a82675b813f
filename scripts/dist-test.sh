#!/bin/sh
# Unpacks what scripts/dist.sh packed and uses it where there is nothing else: a root folder with
# the program, no shared library, no shell. PROFILE=dist tests the shipped program, else that of the
# everyday build.
set -eu
cd "$(dirname "$0")/.."
export PROFILE="${PROFILE:-dev}"

status=0
scripts/dist.sh || status=$?
if [ "$status" -ne 0 ]; then
    [ "$status" -eq 77 ] || exit "$status"
    echo "skip dist: the archive cannot be built here"
    exit 0
fi
archive=$(find target/dist -maxdepth 1 -name "pontage-*-$(uname -m)-unknown-linux-gnu.tar.gz")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "not ok dist: $1" >&2
    exit 1
}

tar -C "$work" -xzf "$archive"
home=$(find "$work" -mindepth 1 -maxdepth 1)
(cd "$home" && sha256sum --quiet -c SHA256SUMS) || fail "a checksum"
(cd target/dist && sha256sum --quiet -c "$(basename "$archive").sha256") || fail "the archive's checksum"
pages=$(find "$home/man/man1" -name '*.1' | wc -l)
[ "$pages" -gt 50 ] || fail "$pages manual pages"
for part in pontage VERSION README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE CITATION.cff Containerfile \
    completions/pontage.bash completions/_pontage completions/pontage.fish recipes/quick.toml examples/quick/run.json man/man1/pontage-run.1; do
    [ -s "$home/$part" ] || fail "no $part"
done
if readelf -d "$home/pontage" | grep NEEDED; then
    fail "the program needs shared libraries"
fi
echo "ok dist: $pages manual pages, every checksum, no shared library"

# A root folder with nothing but the program and what the kernel shows.
root=$work/root
mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp "$home/pontage" "$root/pontage"
# shellcheck disable=SC2016 # expanded inside
inside='set -e
mount --rbind /dev "$1/dev"; mount --rbind /proc "$1/proc"; mount --rbind /sys "$1/sys"; shift
exec chroot "$@"'
within() { unshare -rm sh -c "$inside" sh "$root" "$root" "$@"; }
if ! within /pontage --version >"$work/version" 2>"$work/refused"; then
    echo "skip dist in a root folder of its own: $(head -n 1 "$work/refused")"
    exit 0
fi
[ "$(cut -d' ' -f2 <"$work/version")" = "$(cat "$home/VERSION")" ] || fail "$(cat "$work/version")"
within /pontage doctor >"$work/doctor" || fail "doctor"
within /pontage run syscall/getppid --budget-ms 50 --out /tmp/runs >"$work/run" 2>"$work/said" || fail "run: $(cat "$work/said")"
grep -q 'Entering the kernel and coming back' "$work/run" || fail "run: $(cat "$work/run")"
page=$(find "$root/tmp/runs" -name report.html)
[ -s "$page" ] || fail "no page"
echo "ok dist: doctor, run and its page in a root folder with nothing else"
