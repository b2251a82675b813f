#!/bin/sh
# Draws docs/report.png anew, the first screen of the page of examples/quick: where the page looks
# otherwise now, or there is none yet.
set -eu
cd "$(dirname "$0")/.."
say() { printf 'picture: %s\n' "$*" >&2; }

if ! [ -d ui/node_modules/playwright-core ]; then
    say "SKIP: no node modules"
    say "enable: cd ui && npm ci"
    exit 0
fi
"${CARGO:-cargo}" build -q --workspace --bin pontage --test smoke
page=$(mktemp -d)/report.html
trap 'rm -rf "$(dirname "$page")"' EXIT
target/debug/pontage report examples/quick --html "$page"
(cd ui && node picture.mjs "$page" ../docs/report.png)
say "docs/report.png: $(stat -c %s docs/report.png 2>/dev/null || echo no) bytes"
