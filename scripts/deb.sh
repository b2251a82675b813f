#!/bin/sh
# Makes target/dist/pontage_VERSION_ARCH.deb from what scripts/dist.sh packs, and pontage-dkms_VERSION_all.deb
# from kernel/. Needs cargo-deb.
set -eu
cd "$(dirname "$0")/.."
say() { printf 'deb: %s\n' "$*" >&2; }
if ! cargo deb --version >/dev/null 2>&1; then
    say "SKIP: cargo-deb is not installed"
    say "enable: cargo install --locked cargo-deb"
    exit 77
fi
scripts/dist.sh
number=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
home=pontage-$number-$(uname -m)-unknown-linux-gnu
ln -sfn "$home" target/dist/current

# The form that Debian's tools read; the whole is CHANGELOG.md of the source.
when=$(date -R -d "@$(git log -1 --format=%ct)")
printf 'pontage (%s-1) unstable; urgency=medium\n\n  * Release %s: see CHANGELOG.md of the source.\n\n -- The Pontage authors <pontage@localhost>  %s\n' \
    "$number" "$number" "$when" >target/dist/current/changelog.deb

cargo deb --quiet --no-build --no-strip -p pontage --output target/dist/

# cargo-deb has no packages of all architectures.
tree=target/dist/dkms
module=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' kernel/dkms.conf)
rm -rf $tree
git ls-files kernel | grep -v '/\.gitignore$' | while read -r file; do
    install -D -m 644 "$file" "$tree/usr/src/cftu-$module/${file#kernel/}"
done
install -d $tree/DEBIAN $tree/usr/share/doc/pontage-dkms
sed "s/@NUMBER@/$number-1/" packaging/dkms/control >$tree/DEBIAN/control
for script in postinst prerm; do
    sed "s/@MODULE@/$module/" packaging/dkms/$script >$tree/DEBIAN/$script
    chmod 755 $tree/DEBIAN/$script
done
install -m 644 kernel/README.md $tree/usr/share/doc/pontage-dkms/
sed 's/^pontage /pontage-dkms /' target/dist/current/changelog.deb | gzip -9n >$tree/usr/share/doc/pontage-dkms/changelog.Debian.gz
install -m 644 packaging/dkms/copyright $tree/usr/share/doc/pontage-dkms/copyright
chmod -R u=rwX,go=rX $tree
dpkg-deb --root-owner-group --build $tree target/dist/ >/dev/null

for package in target/dist/pontage_"$number"-1_*.deb target/dist/pontage-dkms_"$number"-1_all.deb; do
    say "$package: $(stat -c %s "$package") bytes"
done
