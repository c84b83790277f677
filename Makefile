# Keva. `make run` starts the app, `make test` proves it. Each brings what it needs first.

TAGS := sqlite_fts5 migrated_fynedo
GO := go
# Tools are pinned here and run by version, so that they stay out of go.mod.
GOFUMPT := mvdan.cc/gofumpt@v0.12.0
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
EXHAUSTIVE := github.com/nishanths/exhaustive/cmd/exhaustive@v0.17.1
DEPGUARD := github.com/OpenPeeDeeP/depguard/v2/cmd/depguard@v2.3.0

# Where goroutines meet, and what is cheap enough to run with the race detector.
RACE := ./agent/... ./engines/claude/... ./engines/codex/... ./engines/proc/... ./platform/... ./ui/transcript/... ./ui/pacer/...

# Analysers that load packages themselves take tags only from here.
LINT := GOFLAGS="$(GOFLAGS) -tags=sqlite_fts5,migrated_fynedo" $(GO)

ARGS ?=
PROMPT ?=
export PROMPT

.DEFAULT_GOAL := help
.PHONY: help run run-headless build engines setup setup-test test race mutants nightly bench \
	lint lint-format lint-vet lint-static lint-enums lint-imports lint-hosts

include platform/android/android.mk

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: ## start the app (ARGS="--mobile" for the phone layout)
	@if [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
		echo 'There is no display here, so there can be no window. Without one, the same turn runs in the terminal:' >&2; \
		echo '  make run-headless PROMPT="tour"' >&2; \
		echo 'or, once built: build/keva run -demo "tour"' >&2; \
		exit 1; \
	fi
	@$(MAKE) --no-print-directory build engines
	@exec build/keva $(ARGS)

run-headless: ## run one prompt in the terminal (PROMPT="…", ARGS="-engine codex")
	@if [ -z "$$PROMPT" ]; then echo 'Say what to do: make run-headless PROMPT="tour"' >&2; exit 1; fi
	@$(MAKE) --no-print-directory build engines
	@exec build/keva run -demo $(ARGS) -- "$$PROMPT"

build: setup ## compile to build/keva
	@mkdir -p build
	$(GO) build -tags "$(TAGS)" -o build/keva .

engines: ## install the two pinned engines into the cache
	@$(GO) run ./engines/install/cmd

setup: ## install system libraries, or say how
	@./setup.sh

setup-test:
	@./setup.sh test

test: setup-test engines ## run all tests, with both real engines and a real window
	$(GO) test -tags "$(TAGS)" -timeout 20m ./...

race: setup-test ## run the concurrent parts under the race detector
	$(GO) test -race -tags "$(TAGS)" -timeout 20m $(RACE)

# Numbers of the nightly run: sequences of events against the ledger, kills of each test that kills.
SEQUENCES ?= 1000000
KILLS ?= 300

nightly: setup-test engines ## a million sequences, hundreds of kills, with the numbers (SEQUENCES=, KILLS=; takes hours)
	KEVA_SEQUENCES=$(SEQUENCES) $(GO) test -count=1 -v -run TestLedgerAgainstOracle -timeout 2h ./agent/turn
	KEVA_KILLS=$(KILLS) $(GO) test -count=1 -p 1 -v -tags "$(TAGS)" -run Kill -timeout 12h ./test/kill ./test/e2e

mutants: setup ## put known faults back, one at a time; each must be noticed
	$(GO) run ./test/mutants -tags "$(TAGS)"

bench: setup ## measure
	$(GO) test -run '^$$' -bench . -benchmem -tags "$(TAGS)" -timeout 20m ./...

lint: lint-format lint-vet lint-static lint-enums lint-imports lint-hosts ## check format, mistakes, enums and the direction of dependencies

lint-format:
	@unformatted=$$($(GO) run $(GOFUMPT) -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofumpt:"; echo "$$unformatted"; exit 1; fi

lint-vet: setup
	$(GO) vet -tags "$(TAGS)" ./...
	$(GO) vet -tags "$(TAGS) jail" ./test/...

lint-static: setup
	$(GO) run $(STATICCHECK) -tags "$(TAGS)" ./...
	$(GO) run $(STATICCHECK) -tags "$(TAGS) jail" ./test/...

# Our own enums, in full: a default case does not count as having thought of a new value.
lint-enums: setup
	$(LINT) run $(EXHAUSTIVE) -typeonly '^keva/' ./...

# The rules lie beside what they rule. Without its file depguard would check other ones.
lint-imports: setup
	@for folder in agent engines platform ui; do \
		echo "depguard $$folder"; \
		[ -f $$folder/.depguard.yaml ] || { echo "$$folder/.depguard.yaml is missing"; exit 1; }; \
		(cd $$folder && $(LINT) run $(DEPGUARD) ./...) || exit 1; \
	done

lint-hosts:
	@if git grep -nIE 'registry\.(npmjs|yarnpkg)|proxy\.golang|registry-url|"resolved": *"http' -- . ':!*/testdata/*' ':!Makefile'; then \
		echo "a file names a package registry: that is the user's configuration, not ours"; exit 1; \
	fi

include userland.mk
