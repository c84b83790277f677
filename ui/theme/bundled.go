package theme

import "keva/assets"

// bundled returns the faces that the app carries.
func bundled() Fonts {
	return FontsOf(assets.InterRegular, assets.InterSemiBold, assets.MonoRegular, assets.MonoBold)
}
