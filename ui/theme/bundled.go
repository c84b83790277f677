package theme

// bundled returns the faces that the app carries.
func bundled() Fonts { return Fonts{} }
