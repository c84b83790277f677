package replay

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/session"
	"keva/agent/trust"
	"keva/ui/chat"
	"keva/ui/settings"
	"keva/ui/shell"
)

// Show plays evs in the window until it is closed.
func Show(app fyne.App, name string, evs []event.Event, mobile bool) {
	p := NewPlayer(name, evs, time.Now, func(d time.Duration, f func()) { time.AfterFunc(d, f) })
	s := shell.New(app, shell.Deps{
		Sessions: only{p}, Settings: look{}, OpenURL: func(string) error { return errRecording }, Mobile: mobile, Clock: p.Now,
	})
	s.ShowSession(p)
	s.Run()
}

// only is a list of one session.
type only struct{ p *Player }

func (o only) Sessions(context.Context) ([]session.Meta, error) {
	return []session.Meta{o.p.View().Meta}, nil
}

func (o only) Create(context.Context, session.New) (chat.Session, error) { return nil, errRecording }
func (o only) Open(context.Context, string) (chat.Session, error)        { return o.p, nil }
func (o only) Delete(context.Context, string) error                      { return errRecording }

func (o only) Changes(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{})
	context.AfterFunc(ctx, func() { close(ch) })
	return ch
}

// look is the settings of a recording: the defaults, and nothing can be changed.
type look struct{}

func (look) Values() settings.Values                       { return settings.Values{} }
func (look) Save(settings.Values) error                    { return errRecording }
func (look) Engines() []settings.Engine                    { return nil }
func (look) Providers(string) []settings.Provider          { return nil }
func (look) HasKey(context.Context, string) (bool, error)  { return false, nil }
func (look) SaveKey(context.Context, string, string) error { return errRecording }
func (look) ForgetKey(context.Context, string) error       { return errRecording }
func (look) Consents() []trust.Consent                     { return nil }
func (look) Revoke(string) error                           { return errRecording }
func (look) Check(context.Context, string) (string, error) { return "", errRecording }
