#!/bin/sh
# Packs the program: one static binary with its manual pages, completions, recipes and licences,
# a list of what it is made of (CycloneDX) and checksums, as target/dist/pontage-VERSION-TRIPLE.tar.gz.
#
# Static against glibc, because what the C library does (memcpy first of all) is part of what is
# measured, and programs of most machines have glibc's. PROFILE=dev packs the everyday test's build:
# the form, not the size.
set -eu
cd "$(dirname "$0")/.."
say() { printf 'dist: %s\n' "$*" >&2; }

cargo=${CARGO:-cargo}
profile=${PROFILE:-dist}
triple=$(uname -m)-unknown-linux-gnu
case $profile in dev) built=debug ;; *) built=$profile ;; esac

if ! ls "$(rustc --print sysroot)/lib/rustlib/$triple"/lib/libstd-*.rlib >/dev/null 2>&1; then
    say "SKIP: the standard library of $triple is missing"
    say "enable: rustup target add $triple"
    exit 77
fi

# Equal functions once, and relative relocations packed: half a megabyte less, where the linker can.
smaller="-C link-arg=-Wl,--icf=all -C link-arg=-Wl,-z,pack-relative-relocs"
trial=$(mktemp -d)
echo 'fn main() {}' >"$trial/trial.rs"
# shellcheck disable=SC2086 # several words
if ! rustc $smaller --out-dir "$trial" "$trial/trial.rs" >/dev/null 2>&1; then
    say "this linker folds no equal functions (lld does): the program is larger"
    smaller=
fi
rm -rf "$trial"

RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=+crt-static $smaller" \
    "$cargo" build --locked --profile "$profile" --target "$triple" -p pontage
program=target/$triple/$built/pontage
version=$("$program" --version | cut -d' ' -f2)
number=${version%%+*}
name=pontage-$number-$triple
home=target/dist/$name
rm -rf "$home"
mkdir -p "$home/man/man1" "$home/completions" "$home/recipes"

cp "$program" "$home/pontage"
strip --strip-all "$home/pontage"
"$home/pontage" man --out "$home/man/man1" 2>/dev/null
"$home/pontage" completions bash >"$home/completions/pontage.bash"
"$home/pontage" completions zsh >"$home/completions/_pontage"
"$home/pontage" completions fish >"$home/completions/pontage.fish"
cp recipes/*.toml "$home/recipes/"
# Links lead out of the archive: what they mean goes into it.
cp -rL examples "$home/examples"
cp README.md CHANGELOG.md CITATION.cff SECURITY.md LICENSE LICENSE-MIT LICENSE-APACHE \
    packaging/Containerfile "$home/"
echo "$version" >"$home/VERSION"

if "$cargo" cyclonedx --version >/dev/null 2>&1; then
    "$cargo" cyclonedx --quiet --format json --spec-version 1.5 --target "$triple" \
        --manifest-path crates/pontage/Cargo.toml --override-filename sbom-of-dist
    # Where it was built is nobody's business, and no two machines' archives would be alike.
    sed "s,file://$PWD,file://pontage,g" crates/pontage/sbom-of-dist.json >"$home/sbom.cdx.json"
    find crates -name sbom-of-dist.json -delete
else
    say "SKIP the list of parts: cargo-cyclonedx is not installed"
    say "enable: cargo install --locked cargo-cyclonedx"
fi

# The same tree gives the same archive: times are those of the commit, owners are none.
when=$(git log -1 --format=%ct 2>/dev/null || date +%s)
# shellcheck disable=SC2094 # it is not among what is read
(cd "$home" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's,^\./,,' | xargs sha256sum >SHA256SUMS)
tar -C target/dist --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$when" \
    -cf - "$name" | gzip -9n >"target/dist/$name.tar.gz"
(cd target/dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
say "$version: the program has $(stat -c %s "$home/pontage") bytes, target/dist/$name.tar.gz $(stat -c %s "target/dist/$name.tar.gz")"
