#!/usr/bin/env bash
# Makes the bundled fonts from the Debian packages fonts-inter and fonts-jetbrains-mono. Needed only to change the glyph
# set: the results are committed.
#
#   apt-get install fonttools fonts-inter fonts-jetbrains-mono && assets/fonts/subset.sh
set -euo pipefail
cd "$(dirname "$0")"

# The Debian package fonttools belongs to the system's Python, whatever else is first in PATH.
python=/usr/bin/python3
"$python" -c 'import fontTools' 2>/dev/null || { echo "fontTools is missing: apt-get install fonttools" >&2; exit 1; }

font() { dpkg -L "$1" 2>/dev/null | grep -m1 "/$2\$" || { echo "$2 is missing: apt-get install $1" >&2; exit 1; }; }

# Latin, modifier letters, combining marks, Greek, Cyrillic, Latin additional, punctuation, super- and subscripts, currency,
# letterlike, number forms, arrows, mathematical, technical, box drawing, blocks, shapes, symbols, dingbats, ligature
# letters, replacement character.
unicodes="U+0020-007E,U+00A0-024F,U+02B0-036F,U+0370-03FF,U+0400-052F,U+1E00-1EFF,U+2000-206F,U+2070-209F,U+20A0-20BF"
unicodes+=",U+2100-214F,U+2150-218F,U+2190-21FF,U+2200-22FF,U+2300-23FF,U+2500-257F,U+2580-259F,U+25A0-25FF"
unicodes+=",U+2600-26FF,U+2700-27BF,U+FB01-FB02,U+FEFF,U+FFFD"

# No calt, no dlig, no liga: they draw "->" as an arrow and "!=" as ≠. Keva shows what will run, as it is written.
features="kern,mark,mkmk,ccmp,locl,tnum"

subset() { # source, target
	"$python" -m fontTools.subset "$1" --output-file="$2" --unicodes="$unicodes" --layout-features="$features" \
		--no-hinting --desubroutinize --name-IDs='0,1,2,3,4,5,6,13,14' --notdef-outline --no-glyph-names --drop-tables+=DSIG
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for weight in Regular SemiBold; do
	subset "$(font fonts-inter "Inter-$weight.otf")" "$work/Inter-$weight.otf"
	"$python" truetype.py "$work/Inter-$weight.otf" "Inter-$weight.ttf"
done
for weight in Regular Bold; do
	subset "$(font fonts-jetbrains-mono "JetBrainsMono-$weight.ttf")" "JetBrainsMono-$weight.ttf"
done

# The text of the licence, unfolded from Debian's machine-readable form.
body=$(sed -n '/^License: OFL-1.1$/,/^$/p' /usr/share/doc/fonts-inter/copyright | sed -e 1d -e 's/^ \.$//' -e 's/^ //')
licence() { # target, copyright line
	{
		echo "$2"
		echo
		echo "This Font Software is licensed under the SIL Open Font License, Version 1.1."
		echo "The files here are subsets of the originals, made by subset.sh."
		echo
		echo "SIL OPEN FONT LICENSE Version 1.1 - 26 February 2007"
		echo
		printf '%s\n' "$body"
	} >"$1"
}
licence OFL-Inter.txt "Copyright 2016-2022 The Inter Project Authors (https://github.com/rsms/inter)"
licence OFL-JetBrainsMono.txt "Copyright 2020 The JetBrains Mono Project Authors (https://github.com/JetBrains/JetBrainsMono)"

ls -l ./*.ttf
