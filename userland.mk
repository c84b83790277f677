# The userland that the engines live in on a phone: its pack, and what proves it.

ARCH ?= arm64
LEVEL ?= fast
POLICIES ?= test/jail/policies

.PHONY: pack pack-lock pack-repro setup-pack

setup-pack:
	@./setup.sh pack

pack: setup-pack ## build the userland's pack (ARCH=arm64|amd64, LEVEL=fast|release: minutes, 60 MB less)
	@$(GO) run ./engines/userland/build/cmd -arch $(ARCH) -level $(LEVEL) -policies $(POLICIES)

pack-lock: setup-pack ## renew the pinned Debian packages of both architectures
	@for arch in amd64 arm64; do $(GO) run ./engines/userland/build/cmd -lock -arch $$arch || exit 1; done
