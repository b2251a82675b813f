#!/bin/sh
# Whether cargo would publish the crates: each is packed from what it holds alone, and has what a
# registry asks for. With --build each is built from its package too, which takes minutes.
set -eu
cd "$(dirname "$0")/.."
verify=--no-verify
if [ "${1:-}" = --build ]; then
    verify=
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# An edited tree is packed as it is, as in the tests of an edited tree.
# shellcheck disable=SC2086 # one flag or none
if ! "${CARGO:-cargo}" publish --dry-run --workspace --locked --allow-dirty $verify >"$log" 2>&1; then
    if grep -qE 'Could not resolve|network error|failed to (fetch|query)' "$log"; then
        echo "publish: SKIP: the registry is not reached, and cargo asks it which versions exist" >&2
        echo "enable: scripts/publish-check.sh, where the registry is reached" >&2
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
echo "publish: $(grep -c '^ *Uploading ' "$log") crates would be published" >&2
