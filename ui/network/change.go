package network

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/connection"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// change offers the modes.
func (s *Screen) change(now connection.Setting) {
	set := func(n connection.Setting) {
		s.off(func(ctx context.Context) error { return s.deps.Service.Set(ctx, n) })
	}
	with := func(m connection.Mode) connection.Setting { n := now; n.Mode = m; return n }
	screen.ShowMenu(s.deps.Window(), "How to reach the net",
		screen.Item{Label: "As the device says", Do: func() { set(with(connection.Automatic)) }},
		screen.Item{Label: "Without a proxy", Do: func() { set(with(connection.Direct)) }},
		screen.Item{Label: "Through a proxy…", Do: func() { s.edit(with(connection.Proxy), set) }},
		screen.Item{Label: "Extra certificates…", Do: func() { s.certificates(now, set) }})
}

// edit takes the address of a proxy and what is reached without it.
func (s *Screen) edit(n connection.Setting, set func(connection.Setting)) {
	proxy, direct := screen.NewEntry(false), screen.NewEntry(false)
	proxy.SetText(n.Proxy)
	proxy.SetPlaceHolder("http://proxy.example:8080")
	direct.SetText(n.NoProxy)
	direct.SetPlaceHolder("example.org, 10.0.0.0/8, *.local")
	s.sheet("Through a proxy", "HTTP and HTTPS proxies work, with user name and password in the address if they need them. SOCKS and proxy scripts (PAC) do not.",
		func() {
			n.Proxy, n.NoProxy = strings.TrimSpace(proxy.Text), strings.TrimSpace(direct.Text)
			set(n)
		}, screen.Field(proxy), screen.NewPara("Reached without it", screen.SecondaryStyle), screen.Field(direct))
}

func (s *Screen) certificates(n connection.Setting, set func(connection.Setting)) {
	file := screen.NewEntry(false)
	file.SetText(n.CABundle)
	file.SetPlaceHolder("Path of a PEM file")
	s.sheet("Extra certificates", "A network that reads encrypted traffic needs its own certificate trusted, by Keva and by its engines. Empty: only the usual ones.",
		func() { n.CABundle = strings.TrimSpace(file.Text); set(n) }, screen.Field(file))
}

func (s *Screen) updates(v connection.View) {
	address := screen.NewEntry(false)
	address.SetText(v.UpdateAddress)
	address.SetPlaceHolder("https://example.org/keva.json")
	s.sheet("Address of updates", "Keva asks there for a signed notice of the newest version, and downloads nothing. Empty: off.",
		func() {
			s.off(func(ctx context.Context) error {
				return s.deps.Service.SetUpdateAddress(ctx, strings.TrimSpace(address.Text))
			})
		}, screen.Field(address))
}

func (s *Screen) sheet(title, text string, done func(), fields ...fyne.CanvasObject) {
	var sheet *screen.Sheet
	o := append([]fyne.CanvasObject{screen.NewText(title, screen.SheetTitle), screen.NewPara(text, screen.SecondaryStyle)}, fields...)
	o = append(o, screen.Column(0, screen.Insets{Top: theme.Space2}, mark.NewBigButton("Use this", mark.Primary, func() {
		sheet.Close()
		done()
	})))
	sheet = screen.ShowSheet(s.deps.Window(), nil, o...)
}

func modeWords(n connection.Setting) string {
	switch n.Mode {
	case connection.Direct:
		return "Without a proxy, as you chose"
	case connection.Proxy:
		return "Through the proxy that you chose"
	case connection.Automatic:
	}
	return "As the device says"
}

func version(v uint64) string { return "v" + strconv.FormatUint(v, 10) }

// ago is a time for people; the clock of the device may have jumped.
func (s *Screen) ago(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	switch d := s.deps.Now().Sub(t); {
	case d < 0:
		return t.Local().Format("2 Jan 15:04")
	case d < time.Minute:
		return "just now"
	case d < 24*time.Hour && t.Local().Day() == s.deps.Now().Local().Day():
		return t.Local().Format("15:04")
	}
	return t.Local().Format("2 Jan 15:04")
}

func bytes(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
