// Package main composes Keva.
package main

import (
	_ "fyne.io/fyne/v2/app"
	_ "fyne.io/fyne/v2/test"
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/mattn/go-sqlite3"
	_ "github.com/rivo/uniseg"
	_ "github.com/rs/zerolog"
	_ "github.com/sourcegraph/go-diff/diff"
	_ "github.com/yuin/goldmark"
	_ "github.com/zalando/go-keyring"
	_ "golang.org/x/net/http/httpproxy"
	_ "golang.org/x/sys/unix"
)

func main() {}
