#!/bin/sh
# What the program is linked from: licences, sources, duplicates, and advisories
# where a database of them is at hand. Building cargo-deny takes minutes, so it
# is used where it is installed, and its absence is said.
set -eu
say() { printf 'deny: %s\n' "$*" >&2; }
if ! cargo deny --version >/dev/null 2>&1; then
    say "SKIP licences, sources, duplicates, advisories: cargo-deny is not installed"
    say "enable: cargo install --locked cargo-deny"
    exit 0
fi
cargo deny --log-level error check --hide-inclusion-graph licenses bans sources
for database in "${CARGO_HOME:-$HOME/.cargo}"/advisory-db*/*; do
    if [ -d "$database" ]; then
        cargo deny --offline --log-level error check --hide-inclusion-graph advisories && exit
        say "if the database is stale, renew it with: cargo deny fetch db"
        exit 1
    fi
done
say "SKIP advisories: no database is cached"
say "enable: cargo deny fetch db"
