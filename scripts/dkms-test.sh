#!/bin/sh
# Builds the modules as DKMS would, from kernel/dkms.conf, against the headers
# of the kernels that the laboratory has fetched. Touches nothing of the host:
# trees of its own in a temporary folder.
set -eu
cd "$(dirname "$0")/.."

cache=${PONTAGE_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pontage/lab}
if ! command -v dkms >/dev/null 2>&1; then
    echo "SKIP dkms: not installed: apt-get install --no-install-recommends dkms"
    exit 0
fi

version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' kernel/dkms.conf)
told=$(sed -n 's/^#define CFTU_VERSION "\(.*\)"/\1/p' kernel/cftu/module.h)
if [ "$version" != "$told" ]; then
    echo "cannot package cftu: dkms.conf says version $version, module.h says $told"
    exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tree" "$work/source/cftu-$version"
git ls-files -z kernel | xargs -0 cp --parents -t "$work/source"
mv "$work/source/kernel"/* "$work/source/cftu-$version/"

dkms_here() {
    dkms "$@" --dkmstree "$work/tree" --sourcetree "$work/source" \
        --no-depmod >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
}

# As the laboratory does: types for BPF need a pahole as new as the kernel.
export MAKEFLAGS="CONFIG_DEBUG_INFO_BTF_MODULES="
dkms_here add -m cftu -v "$version"
built=0
for headers in "$cache"/kernels/x86-*/usr/src/linux-headers-*-amd64; do
    [ -d "$headers" ] || continue
    release=${headers##*/linux-headers-}
    dkms_here build -m cftu -v "$version" -k "$release" -a x86_64 --kernelsourcedir "$headers"
    for module in cftu swdma; do
        [ -e "$work/tree/cftu/$version/$release/x86_64/module/$module.ko" ] ||
            ls "$work/tree/cftu/$version/$release/x86_64/module/$module.ko".* >/dev/null
    done
    echo "ok dkms cftu/$version for $release"
    built=$((built + 1))
done
[ "$built" -gt 0 ] || echo "SKIP dkms: no headers fetched yet: pontage lab up selftest"
