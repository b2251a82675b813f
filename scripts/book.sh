#!/bin/sh
# Builds the pages of docs/ as a book, target/book, and looks for links in it that lead nowhere.
set -eu
cd "$(dirname "$0")/.."
say() { printf 'book: %s\n' "$*" >&2; }

version=0.5.4
if ! command -v mdbook >/dev/null 2>&1; then
    say "installing mdBook $version by cargo, which takes a minute or two"
    "${CARGO:-cargo}" install --locked --no-default-features --features search "mdbook@$version"
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
fi

mdbook build docs

# Each href and src of a page that is not of another host has to be a file of the book.
broken=$(
    cd target/book
    find . -name '*.html' ! -name 404.html ! -name toc.html | while read -r page; do
        folder=$(dirname "$page")
        grep -oE '(href|src)="[^"#]+' "$page" | sed 's/^[a-z]*="//; s/?.*//' | sort -u |
            grep -vE '^(https?:|mailto:|data:|javascript:)' | while read -r target; do
            [ -e "$folder/$target" ] || echo "$page: $target"
        done
    done
)
if [ -n "$broken" ]; then
    say "links that lead nowhere:"
    printf '%s\n' "$broken" >&2
    exit 1
fi
say "target/book/index.html: $(find target/book -name '*.html' | wc -l) pages, $(du -sh target/book | cut -f1), no broken link"
