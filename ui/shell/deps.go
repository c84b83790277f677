// Package shell is the window: it puts the screens beside or over each other, leads from one to the next and back, and
// applies the look. It must never do a screen's work, and never know an engine or the disk.
package shell

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/session"
	"keva/agent/trust"
	"keva/ui/chat"
	"keva/ui/doctor"
	"keva/ui/onboarding"
	"keva/ui/settings"
	"keva/ui/signin"
)

// Sessions is the session service as the window needs it. It is asked off the thread of the user interface.
type Sessions interface {
	Sessions(ctx context.Context) ([]session.Meta, error)
	Create(ctx context.Context, n session.New) (chat.Session, error)
	Open(ctx context.Context, id string) (chat.Session, error)
	Delete(ctx context.Context, id string) error
	// Changes tells when the list may have changed.
	Changes(ctx context.Context) <-chan struct{}
}

// FromService makes Sessions of the service.
func FromService(s *session.Service) Sessions { return service{s} }

type service struct{ *session.Service }

func (s service) Create(ctx context.Context, n session.New) (chat.Session, error) {
	o, err := s.Service.Create(ctx, n)
	if err != nil {
		return nil, err
	}
	return o, nil
}

func (s service) Open(ctx context.Context, id string) (chat.Session, error) {
	o, err := s.Service.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return o, nil
}

// Demo is the guided tour: nil fields of Deps.Demo are not offered.
type Demo struct {
	Provider string // id of the provider that needs no account
	Prompt   string // what is put into the composer
	// Project makes the sample project, or finds it, and returns its folder.
	Project func(ctx context.Context) (string, error)
	// Reset puts the files of the sample project back as they were. Nil: it is not offered.
	Reset func(ctx context.Context) error
}

// Deps is what the window needs. Sessions, Settings and OpenURL must be set.
type Deps struct {
	Sessions Sessions
	Settings settings.Service
	Demo     *Demo
	// Share offers a text to other programs; nil: there is no such thing.
	Share func(title, text string) error
	// NewProject makes an empty project folder of this name and returns it; nil: it is not offered. Errors are for people.
	NewProject func(ctx context.Context, name string) (string, error)
	OpenURL    func(url string) error
	Home       string // shortened to ~ in paths; "" for none
	Mobile     bool   // phone layout, also on a desktop
	// RetryStore tries the disk again after Storage has said that nothing is kept; both may be nil.
	RetryStore func(ctx context.Context) error
	Storage    func() error
	// Agree keeps the user's consent to what a project would run or allow; nil: it is not offered. AgreedBefore reports
	// whether an earlier content of the folder was agreed to; it may be nil.
	Agree        func(trust.Consent) error
	AgreedBefore func(dir string) bool
	// Changed is called after a setting was saved. It may be nil.
	Changed func(settings.Values)
	// Onboarding is the first start; nil: only an engine is chosen. SignIn, Doctor and Tools are offered when they are set.
	Onboarding onboarding.Service
	SignIn     signin.Service
	Doctor     doctor.Service
	// KeyFile is the file of keys that a passphrase locks; nil: there is none on this kind of machine.
	KeyFile KeyFile
	// Pages are more rows of the settings; each makes a page.
	Pages []Page

	// Folders lists the folders in a folder. Nil reads the disk.
	Folders func(dir string) ([]string, error)
	Clock   func() time.Time // time.Now
	// HardwareKeyboard says that Enter sends. Nil asks the device.
	HardwareKeyboard *bool

	// Do, Post, Go and After are for tests: fyne.DoAndWait, fyne.Do, go, and a timer that calls back on the thread of the
	// user interface.
	Do, Post, Go func(func())
	After        func(time.Duration, func())
}

// KeyFile is a file of keys that a passphrase locks. Exists and Locked are quick; Unlock may block, and makes the file when
// there is none. Its errors are for people.
type KeyFile interface {
	Exists() bool
	Locked() bool
	Unlock(ctx context.Context, phrase string) error
}

// Page is a page of the settings that is made elsewhere. The toolkit's objects that it is made of belong to the thread of the
// user interface.
type Page struct {
	Section, Label, Second string
	Make                   func(back func()) fyne.CanvasObject
}

func (d *Deps) fill() {
	if d.Clock == nil {
		d.Clock = time.Now
	}
	if d.Folders == nil {
		d.Folders = folders
	}
	if d.Do == nil {
		d.Do = fyne.DoAndWait
	}
	if d.Post == nil {
		d.Post = fyne.Do
	}
	if d.Go == nil {
		d.Go = func(f func()) { go f() }
	}
	if d.After == nil {
		post := d.Post
		d.After = func(t time.Duration, f func()) { time.AfterFunc(t, func() { post(f) }) }
	}
	if d.HardwareKeyboard == nil {
		has := fyne.CurrentDevice().HasKeyboard()
		d.HardwareKeyboard = &has
	}
}
