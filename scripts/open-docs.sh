#!/bin/sh
# Opens the page of the crates' documentation, or says where it is.
set -eu
page=$(realpath "$1")
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    exec xdg-open "$page"
fi
echo "documentation: $page (no display or no xdg-open here: open it in a browser)"
