#!/usr/bin/env bash
# Brings what Keva is built with: system libraries for the window, with "test" the tools that drive a real window, and
# with "pack" instead what the userland's pack is made with, with "jail" what the Android jail needs, with "apk" what the
# Android app is built and checked with. Instant when nothing is missing. Engines are another matter: `make engines`.
#
#   ./setup.sh [test|pack|jail|apk]
set -euo pipefail
exec </dev/null

say() { printf '%s\n' "$*" >&2; }
stop() { say "$@"; exit 1; }

need() { # command, sentence
	command -v "$1" >/dev/null 2>&1 || stop "$1 is missing. $2"
}
need git "Install git, then run this again."
need make "Install make, then run this again."
need go "Install Go $(sed -n 's/^go //p' "$(dirname "$0")/go.mod") or newer, then run this again."
need npm "The engines are npm packages: install Node.js with npm, then run this again."

# What Fyne compiles against (OpenGL, X11, Wayland), and SQLite's compiler.
packages=(gcc pkg-config libgl1-mesa-dev xorg-dev libwayland-dev libxkbcommon-dev)
modules=(gl x11 xcursor xrandr xinerama xi xxf86vm wayland-client wayland-cursor wayland-egl xkbcommon)
commands=(gcc pkg-config)
case "${1:-}" in
"") ;;
test)
	# A display without a screen, hands and eyes for it, a renderer without a graphics card; a keyring and a bus for it.
	packages+=(dbus-daemon xvfb xdotool imagemagick x11-utils libgl1-mesa-dri gnome-keyring dbus)
	# Clients for the network's matrix, and what packs are compared with.
	packages+=(curl python3-pip zstd tar)
	# The userland's C parts are tested on both processors.
	case "$(dpkg --print-architecture 2>/dev/null)" in
	amd64) packages+=(libc6-dev binutils gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static) ;;
	esac
	commands+=(dbus-daemon Xvfb xdotool import xwininfo dbus-run-session gnome-keyring-daemon curl pip3 zstd tar)
	;;
pack)
	# Compilers and strip for both processors, what unpacks Debian packages, and the compressor of releases.
	command -v apt-get >/dev/null 2>&1 || stop "The pack is made of Debian packages with apt. Build it on Debian or a relative of it."
	packages=(dpkg zstd)
	case "$(dpkg --print-architecture)" in # a machine's own compiler has the long name as well
	amd64) packages+=(gcc libc6-dev binutils gcc-aarch64-linux-gnu libc6-dev-arm64-cross) ;;
	arm64) packages+=(gcc libc6-dev binutils gcc-x86-64-linux-gnu libc6-dev-amd64-cross) ;;
	*) stop "The pack can be built on amd64 and arm64 machines only." ;;
	esac
	;;
jail)
	# A shell that is not the userland's, an ssh server to talk to, another processor, and what the userland is measured against.
	command -v apt-get >/dev/null 2>&1 || stop "The jail is set up with apt. Run it on Debian or a relative of it."
	packages=(busybox-static openssh-server qemu-user-static proot zstd tar ripgrep python3 gcc libc6-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	;;
apk)
	# Compiler and headers of Android, tools for the package, and a desktop's Java for the tests without a phone.
	command -v apt-get >/dev/null 2>&1 || stop "Android's headers and tools are taken from Debian packages. Build the app on Debian or a relative of it."
	[ "$(dpkg --print-architecture)" = amd64 ] || stop "The Android app can be built on amd64 machines only: Android's tools are packaged for these."
	packages=(gcc libc6-dev linux-libc-dev clang lld llvm libc6-dev-arm64-cross linux-libc-dev-arm64-cross libegl-dev libgles-dev
		android-platform-frameworks-native-headers android-libnativehelper-dev android-liblog-dev
		aapt android-framework-res zipalign apksigner libsmali-java enjarify default-jdk-headless)
	;;
*) stop "usage: $0 [test|pack|jail|apk]" ;;
esac

# Elsewhere than on Debian and its relatives we look, and name the packages where we know them.
elsewhere() {
	local missing=() c m
	for c in "${commands[@]}"; do command -v "$c" >/dev/null 2>&1 || missing+=("$c"); done
	for m in "${modules[@]}"; do pkg-config --exists "$m" 2>/dev/null || missing+=("$m"); done
	[ ${#missing[@]} -eq 0 ] && exit 0
	say "System libraries are missing: ${missing[*]}. Install them, then run this again:"
	if command -v dnf >/dev/null 2>&1; then
		say "  sudo dnf install gcc pkgconf libX11-devel libXcursor-devel libXrandr-devel libXinerama-devel libXi-devel libXxf86vm-devel mesa-libGL-devel wayland-devel libxkbcommon-devel xorg-x11-server-Xvfb xdotool ImageMagick xwininfo gnome-keyring dbus-daemon dbus-tools"
	elif command -v pacman >/dev/null 2>&1; then
		say "  sudo pacman -S gcc pkgconf libx11 libxcursor libxrandr libxinerama libxi libxxf86vm mesa wayland libxkbcommon xorg-server-xvfb xdotool imagemagick xorg-xwininfo gnome-keyring dbus"
	else
		say "  (their development packages, by your system's package manager)"
	fi
	exit 1
}
command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1 || elsewhere

missing=()
installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${packages[@]}" 2>/dev/null || true)
for p in "${packages[@]}"; do
	[[ $installed == *"$p installed"* ]] || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		as_root=(sudo -n)
	else
		say "System libraries are missing, and this user may not install them. Run this line, then try again:"
		say "  sudo apt-get install -y ${missing[*]}"
		exit 1
	fi
fi

say "Installing system libraries: ${missing[*]}"
apt() {
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >&2
}
install() { apt install -y --no-install-recommends "${missing[@]}"; }
# Lists that are there are good enough; without any, or with old ones, the first try fails in a second.
if ! install 2>/dev/null; then
	apt update || say "The package lists could not be renewed; trying with the old ones."
	install || stop "apt-get could not install them. Its words are above; run: sudo apt-get install -y ${missing[*]}"
fi
