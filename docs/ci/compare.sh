#!/bin/sh
# Did this change make a program slower? For the CI of any repository:
#
#     compare.sh BASE 'BUILD' 'COMMAND'
#     compare.sh origin/main 'cargo build --release' 'target/release/x --bench input'
#
# Checks out BASE next to the working tree, builds both, times COMMAND of both in turn on this
# runner (pontage ab: blocks in random order, one error of 5 %), and writes what a reviewer reads to
# comment.md and every sample to ab/. BUILD and COMMAND run in the root folder of each tree.
#
# Exit status: 0 not slower, 1 slower, 2 usage or a build that fails. That the runner was too noisy to
# tell is a warning, and 0. TIME is the longest time that is spent, 120 s unless it says so;
# THRESHOLD what counts as equal, 2 percent.
set -eu
[ $# -eq 3 ] || {
    echo "usage: compare.sh BASE 'BUILD' 'COMMAND'" >&2
    exit 2
}
base=$1 build=$2 command=$3
pontage=${PONTAGE:-pontage}
here=$PWD
out=${OUT:-$here}

before=$(mktemp -d)
trap 'git worktree remove --force "$before/tree" 2>/dev/null || true; rm -rf "$before"' EXIT
git worktree add --quiet --detach "$before/tree" "$base" || {
    echo "compare: there is no $base here: a shallow clone needs git fetch origin BRANCH" >&2
    exit 2
}
for tree in "$before/tree" "$here"; do
    (cd "$tree" && sh -c "$build") || {
        echo "compare: cannot build $tree" >&2
        exit 2
    }
done

status=0
"$pontage" ab --command "cd '$before/tree' && $command" "cd '$here' && $command" \
    --time "${TIME:-120}" --threshold "${THRESHOLD:-2}" --format markdown --out "$out/ab" >"$out/found.md" || status=$?
{
    echo "### Is it slower than \`$base\`?"
    echo
    case $status in
    0) echo "No." ;;
    1) echo "**Yes.**" ;;
    77) echo "The runner was too noisy to tell." ;;
    esac
    echo
    echo "A: \`$base\` ($(git rev-parse --short "$base")), B: this change ($(git rev-parse --short HEAD)); \`$command\`"
    echo
    # What was typed for each side, with its folders, is in ab/.
    sed '/^- [AB] /d' "$out/found.md"
    echo
    echo "$("$pontage" --version), $(uname -mr)"
} >"$out/comment.md"
rm -f "$out/found.md"
[ $status -ne 77 ] || {
    echo "::warning::performance was not judged: the runner was too noisy"
    status=0
}
exit $status
