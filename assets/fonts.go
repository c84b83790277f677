package assets

import _ "embed"

// The bundled fonts, TrueType, subset to Latin, Greek, Cyrillic, punctuation, arrows, mathematics, box drawing and
// symbols. Inter's digits are tabular. None draws ligatures: "->" stays two characters, so what is shown is what runs.
// Both are under the SIL Open Font License (fonts/OFL-*.txt); fonts/subset.sh makes them.
var (
	//go:embed fonts/Inter-Regular.ttf
	InterRegular []byte
	//go:embed fonts/Inter-SemiBold.ttf
	InterSemiBold []byte
	//go:embed fonts/JetBrainsMono-Regular.ttf
	MonoRegular []byte
	//go:embed fonts/JetBrainsMono-Bold.ttf
	MonoBold []byte
)
