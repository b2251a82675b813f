# The two commands of a newcomer are `make run` and `make test`; both install
# what they need. Everything else is here to save typing.

CARGO ?= cargo
PONTAGE = target/release/pontage

# As the tests of the workspace build it: `-p pontage` would give shared crates
# fewer features, and so build nearly everything a second time.
BUILD_AS_TESTED = $(CARGO) build --workspace --bin pontage --test smoke

.PHONY: run test dist dist-test deb deb-test publish-check check lint lint-here bench docs book build need-run need-check need-test need-lab need-lab-debug need-fuzz lab-test \
	lab-debug fuzz fuzz-corpus mutants need-mutants ui

# Measures this machine for about a minute, prints the result, writes
# runs/<...>/report.html. More: make run ARGS='--full mem/latency'
run: need-run build
	@$(PONTAGE) run $(ARGS)

build:
	@$(CARGO) build --release -p pontage

# Passes every test. CI calls exactly this.
test: need-test lint
	$(CARGO) test --workspace
	$(CARGO) xtask docs --check
	cd ui && npm test
	$(MAKE) -C kernel host-test
	$(MAKE) -C lab/plugins/cache host-test
	$(MAKE) dist-test
	$(MAKE) lab-test

# Packs the program for machines without a compiler: target/dist/pontage-VERSION-TRIPLE.tar.gz.
dist: need-run
	scripts/dist.sh

# Debian packages of the program and of the modules (DKMS); with deb-test installed, used and removed
# in a system of their own, for root.
deb: need-run
	scripts/deb.sh

deb-test: need-run
	scripts/deb-test.sh $(SUITE)

# Whether cargo would publish the crates, each built from its own package; dist-test packs them only.
publish-check: need-run
	scripts/publish-check.sh --build

# Unpacks it and uses it where there is nothing else; a wheel for pip, installed, used and removed.
# PROFILE=dist: the shipped program; else that of the everyday build.
dist-test: need-run
	scripts/dist-test.sh
	scripts/wheel-test.sh
	scripts/publish-check.sh

# Boots the virtual machines of lab/ and judges them. Fetches kernels once, into
# a cache; a host that can run none of them (status 77) says why and passes.
lab-test: need-lab
	$(BUILD_AS_TESTED)
	target/debug/pontage lab test $(SCENARIOS) || test $$? -eq 77
	scripts/dkms-test.sh

# The same guest tests on a kernel that checks itself (KASAN, lockdep, kmemleak,
# DMA API debugging, fault injection), which is built here once. Not everyday:
# see docs/guides/laboratory.md for how long it takes.
lab-debug: need-lab-debug
	$(BUILD_AS_TESTED)
	target/debug/pontage lab test --group debug || test $$? -eq 77

# What can be checked without a browser, packages or anything fetched but crates.
check: need-check lint-here
	$(CARGO) test --workspace
	$(MAKE) -C kernel host-test
	$(MAKE) -C lab/plugins/cache host-test

# Of other architectures, too: their standard libraries are fetched once.
lint: lint-here
	CARGO="$(CARGO)" scripts/lint-arm.sh

lint-here:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -q --workspace --no-deps
	$(CARGO) xtask tidy
	scripts/deny.sh

# Ourselves against named peers, as ratios in one run. Not part of the tests.
bench: need-run
	$(CARGO) xtask bench $(ARGS)

# Looks for input that a reader does not survive, for TIME seconds a target (ten
# minutes unless it says so, an hour for trace.dat and for records), or for some
# of the targets: make fuzz TARGETS='trace_dat recipe'. See docs/guides/fuzzing.md.
fuzz: need-fuzz
	$(CARGO) run -q -p fuzzing -- run $(if $(TIME),--seconds $(TIME)) $(TARGETS)

# Takes what make fuzz found into the committed corpus: the fewest files that
# pass the same edges.
fuzz-corpus: need-fuzz
	$(CARGO) run -q -p fuzzing -- shrink $(TARGETS)

# Changes the code of the crates that judge a little, 150 times each, and counts
# which changes their tests notice: make mutants CRATES=stats SAMPLE=20 SEED=3.
mutants: need-mutants
	$(CARGO) xtask mutants $(if $(SEED),--seed $(SEED)) $(if $(SAMPLE),--sample $(SAMPLE)) $(CRATES)

# Writes what is generated from the code, the golden transcripts too, and opens the
# documentation of the crates.
docs:
	$(CARGO) xtask docs
	UPDATE_GOLDEN=1 $(CARGO) test --quiet --workspace --test transcripts --test book
	scripts/picture.sh
	@git diff --stat
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc -q --workspace --no-deps
	@scripts/open-docs.sh target/doc/pontage/index.html

# The pages of docs/ as a book: target/book/index.html. What measures in them is printed anew by
# UPDATE_GOLDEN=varies cargo test --test book.
book:
	scripts/book.sh

# Rebuilds the committed front end bundle after a change in ui/src.
ui:
	cd ui && npm ci && npm run build

need-run:
	@scripts/need.sh run

need-check:
	@scripts/need.sh check

need-test:
	@scripts/need.sh test

need-lab:
	@scripts/need.sh lab

need-lab-debug:
	@scripts/need.sh lab-debug

need-fuzz:
	@scripts/need.sh fuzz

need-mutants:
	@scripts/need.sh mutants
