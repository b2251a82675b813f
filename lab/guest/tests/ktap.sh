# SPDX-License-Identifier: MIT OR Apache-2.0
# shellcheck shell=sh
# What the tests share that speak KTAP: `plan NUMBER`, then `check DESCRIPTION
# COMMAND...` for each, at last `exit $failed`. Where a check fails, what its
# command said follows, and what is in the file that $said names.
number=0
failed=0
said=/tmp/said
plan() {
	echo "KTAP version 1"
	echo "1..$1"
}
# soon COMMAND...: once it succeeds. For what comes by itself, however slow the
# machine; the scenario's deadline is the only one that counts.
soon() {
	tries=0
	until "$@" >/dev/null 2>&1 || [ $tries = 240 ]; do
		sleep 0.5
		tries=$((tries + 1))
	done
	"$@"
}
check() {
	number=$((number + 1))
	description=$1
	shift
	if "$@" >/tmp/check 2>&1; then
		echo "ok $number $description"
		return
	fi
	echo "not ok $number $description"
	sed 's/^/# /' /tmp/check "$said" 2>/dev/null | tail -n 60
	failed=1
}
