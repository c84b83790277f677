package assets

import _ "embed"

// Engines is the manifest of the pinned engines: versions, packages, integrity. engines/install reads it.
//
//go:embed engines.json
var Engines []byte
