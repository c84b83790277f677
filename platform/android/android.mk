# The Android app: built, signed and checked here (docs/android.md).

# Fyne's packaging tool; its release has to be the one that was made for the Fyne in go.mod (the build checks it).
FYNE := fyne.io/tools/cmd/fyne@v1.7.4
# Android's published API as types, which our calls are held against. A check of ours; it is no part of the app.
ANDROID_TYPES := @nativescript/types-android@9.1.1

ABI ?= arm64
# The userland for it, from `make pack`.
PACK ?= build/keva-userland-$(if $(filter arm64%,$(ABI)),arm64,amd64).tar.zst
APK_BUILD := $(GO) run ./platform/android/build -fyne $(FYNE)
APK_CHECK := $(GO) run ./test/apkcheck

.PHONY: apk apk-check apk-test apk-jvm-test apk-same apk-ci setup-apk

setup-apk:
	@./setup.sh apk

apk: setup-apk ## build the Android app (ABI=arm64|x86_64, PACK=file, made first if missing; SHELL_ONLY=1: without it)
	@[ -n "$(SHELL_ONLY)" ] || [ -f "$(PACK)" ] || $(MAKE) --no-print-directory pack ARCH=$(if $(filter arm64%,$(ABI)),arm64,amd64)
	@$(APK_BUILD) -abi $(ABI) $(if $(SHELL_ONLY),,-pack $(PACK))

apk-check: setup-apk ## say what is wrong with the APKs in build/ (APK=files)
	@$(APK_CHECK) $(or $(APK),$(wildcard build/keva-*.apk))

apk-test: setup-apk build/keva-arm64-v8a-shell.apk ## prove that each check of an APK can fail, and hold our Java calls against Android's published API
	@mkdir -p build/android
	@[ -f build/android/types.d.ts ] || { cd build/android && \
		npm pack --silent $(ANDROID_TYPES) >/dev/null && \
		tar -xzOf nativescript-types-android-*.tgz package/lib/android/android-platform-21-37-merged.d.ts >types.part && \
		mv types.part types.d.ts && rm -f nativescript-types-android-*.tgz; }
	$(GO) vet -tags apktest ./platform/android/...
	KEVA_TYPES=$(CURDIR)/build/android/types.d.ts $(GO) test -tags apktest -timeout 10m ./platform/android/...

build/keva-arm64-v8a-shell.apk:
	@$(APK_BUILD) -abi arm64 >/dev/null

# -Xcheck:jni complains on standard output and goes on.
apk-jvm-test: setup-apk ## run the calls to Java, and our two Java classes, on a desktop's Java
	@mkdir -p build/android
	$(GO) vet -tags jvmtest ./platform/android ./platform/device
	@$(GO) test -count=1 -v -tags jvmtest -timeout 10m ./platform/android ./platform/device >build/android/jvm.log 2>&1 || { cat build/android/jvm.log; exit 1; }
	@if grep -n 'WARNING in native method\|FATAL ERROR in native method' build/android/jvm.log; then exit 1; fi
	@tail -1 build/android/jvm.log

apk-same: setup-apk ## build the shell twice, in other folders and with empty caches: the same bytes but for the signature
	@for n in one two; do \
		$(APK_BUILD) -abi $(ABI) -work build/android/same-$$n -cache $(CURDIR)/build/android/same-cache-$$n -o build/android/same-$$n.apk >/dev/null || exit 1; \
		rm -rf build/android/same-cache-$$n; \
	done
	@cmp build/android/same-one/unsigned.apk build/android/same-two/unsigned.apk && echo "the same: $$(sha256sum <build/android/same-one/unsigned.apk | cut -d" " -f1)"
	@rm -rf build/android/same-*

apk-ci: setup-apk ## what every change has to pass: the shell for both architectures, checked, and the tests without a phone
	@$(APK_BUILD) -abi arm64 >/dev/null
	@$(APK_BUILD) -abi x86_64 >/dev/null
	@$(APK_CHECK) build/keva-arm64-v8a-shell.apk build/keva-x86_64-shell.apk
	@$(MAKE) --no-print-directory apk-test apk-jvm-test
