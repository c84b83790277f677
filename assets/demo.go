package assets

import "embed"

// Demo is the demo provider's data: scripts/*.json (what the scripted model says and does, see engines/demo) and project/
// (the sample project of the guided tour).
//
//go:embed demo
var Demo embed.FS
