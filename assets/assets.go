// Package assets embeds the files that Keva carries: fonts, the engine pins, the demo scripts. It holds data only and
// must never hold an engine, a key or a recorded session.
package assets
