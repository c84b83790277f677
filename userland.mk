# The userland that the engines live in on a phone: its pack, and what proves it.

ARCH ?= arm64
LEVEL ?= fast
POLICIES ?= test/jail/policies

.PHONY: pack pack-lock pack-repro setup-pack

setup-pack:
	@./setup.sh pack

pack: setup-pack ## build the userland's pack (ARCH=arm64|amd64, LEVEL=fast|release: minutes, 60 MB less)
	@$(GO) run ./engines/userland/build/cmd -arch $(ARCH) -level $(LEVEL) -policies $(POLICIES)

pack-repro: setup-pack ## build the pack twice and compare the bytes (ARCH=, LEVEL=)
	@$(GO) run ./engines/userland/build/cmd -twice -arch $(ARCH) -level $(LEVEL) -policies $(POLICIES)

pack-lock: setup-pack ## renew the pinned Debian packages of both architectures
	@for arch in amd64 arm64; do $(GO) run ./engines/userland/build/cmd -lock -arch $$arch || exit 1; done

# The jail: FULL=1 runs everything under every policy; KEVA_JAIL_DIR=DIR keeps what is unpacked for the next run.
.PHONY: setup-jail jail qemu bench-userland
FULL ?=
JAIL = KEVA_JAIL_FULL=$(FULL) KEVA_JAIL_ARCH=$(1) KEVA_JAIL_PACK=$(CURDIR)/build/keva-userland-$(1).tar.zst $(GO)

setup-jail:
	@./setup.sh jail

jail: setup-jail ## prove the userland in an Android jail (FULL=1: everything under every policy)
	@$(MAKE) --no-print-directory pack ARCH=amd64
	$(call JAIL,amd64) test -count=1 -tags jail -timeout 30m ./test/jail/...
	$(call JAIL,amd64) test -count=1 -tags "$(TAGS) jail" -run FromThePack -timeout 10m ./test/e2e ./test/window

qemu: setup-jail ## prove the phone's own pack, arm64, under an emulated processor
	@$(MAKE) --no-print-directory pack ARCH=arm64
	$(call JAIL,arm64) test -count=1 -tags jail -timeout 60m ./test/jail

bench-userland: setup-jail ## measure the userland against a native root and PRoot; writes docs/figures-userland.md
	@$(MAKE) --no-print-directory pack ARCH=amd64
	$(call JAIL,amd64) run ./test/jail/cmd/bench -o docs/figures-userland.md
