//go:build android || jvmtest

package device

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"keva/agent/budget"
	"keva/agent/doctor"
	"keva/platform/android"
	"keva/platform/diag"
	"keva/platform/network"
	"keva/platform/power"
	"keva/platform/secret"
)

// Phone is an Android phone, tablet or emulator.
type Phone struct {
	files  string                   // the app's own folder
	notify func(title, text string) // the toolkit's notifications

	mu   sync.Mutex
	lock *android.WakeLock
	net  android.Network // as it was last seen
	seen bool
}

var _ Device = (*Phone)(nil)

// NewPhone is this device. files is the app's own folder; notify shows a notification and may be nil.
func NewPhone(files string, notify func(title, text string)) *Phone {
	return &Phone{files: files, notify: notify}
}

// Show starts the foreground service with a notification, or changes that.
func (*Phone) Show(w power.Work) error {
	n := android.Notice{Title: w.Title, Text: w.Text, Stop: w.Running > 0}
	if w.Ask != nil {
		n.Request = w.Ask.Request
	}
	return android.ShowForeground(n)
}

// Hide ends the service.
func (*Phone) Hide() error { return android.EndForeground() }

// Awake takes or gives back the wake lock.
func (p *Phone) Awake(on bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case on && p.lock == nil:
		lock, err := android.AcquireWakeLock("keva:run")
		if err != nil {
			return err
		}
		p.lock = lock
	case !on && p.lock != nil:
		if err := p.lock.Release(); err != nil {
			return err
		}
		p.lock = nil
	}
	return nil
}

// Tell shows a notification that stays.
func (p *Phone) Tell(title, text string) error {
	if p.notify == nil {
		return power.ErrUnsupported
	}
	p.notify(title, text)
	return nil
}

// Listen takes taps on the notification; those that may not count are told only.
func (p *Phone) Listen(tap func(Tap), told func(string, bool)) {
	choices := map[android.Choice]Choice{android.ChoiceStop: Stop, android.ChoiceAllowOnce: Allow, android.ChoiceDeny: Deny}
	android.Listen(android.Listener{
		Tap: func(t android.Tap) {
			choice, ok := choices[t.Choice]
			if t.Refused != "" || !ok {
				told("an answer on the notification does not count: "+t.Refused, false)
				return
			}
			tap(Tap{Request: t.Request, Choice: choice})
		},
		Service: func(s android.ServiceState, detail string) {
			gone := false
			switch s {
			case android.ServiceTimeout:
				gone = true
				if err := p.Tell("Android stops long work", "After six hours a day it takes an app's right to work in the background. Open Keva, and the work goes on."); err != nil {
					told("the time limit could not be told: "+err.Error(), false)
				}
			case android.ServiceRefused, android.ServiceDestroyed:
				gone = true
			case android.ServiceStarted, android.ServiceTaskRemoved, android.ServiceUnknown:
			}
			told("foreground service: "+string(s)+" "+detail, gone)
		},
	})
}

// Share shows Android's list of apps that take a text.
func (*Phone) Share(title, text string) error { return android.ShareText(text, title) }

// Keys is a file of secrets that the Keystore seals.
func (p *Phone) Keys() secret.Keyring {
	return secret.NewSealed(filepath.Join(p.files, "keys.sealed"), keystore{})
}

// keystore is Android's Keystore as what locks secrets.
type keystore struct{}

func (keystore) Seal(_ context.Context, name string, plain []byte) ([]byte, error) {
	return android.Seal(name, plain)
}

func (keystore) Open(_ context.Context, name string, blob []byte) ([]byte, error) {
	plain, err := android.Unseal(name, blob)
	if err == nil {
		return plain, nil
	}
	var e *android.Exception
	// Whatever the Keystore says of a blob that it made itself, nobody can open it any more: a screen lock that was removed,
	// a backup of another phone. Trouble in reaching it is something else, and passes.
	if errors.As(err, &e) && lost(e) {
		return nil, errors.Join(secret.ErrKeyLost, err)
	}
	return nil, err
}

// lost reports whether the key that sealed something is gone, or another one.
func lost(e *android.Exception) bool {
	switch e.Class {
	case "":
		return e.Call == "java/security/KeyStore.getKey" // there is none of that name
	case "java.security.UnrecoverableKeyException", "android.security.keystore.KeyPermanentlyInvalidatedException",
		"javax.crypto.AEADBadTagException", "javax.crypto.BadPaddingException":
		return true
	}
	return false
}

// Proxy is that of the network in use.
func (p *Phone) Proxy() (network.DefaultProxy, bool, error) {
	n, err := android.ReadNetwork()
	if err != nil {
		return network.DefaultProxy{}, false, err
	}
	p.keep(n)
	if n.Proxy.Unknown {
		return network.DefaultProxy{}, false, errors.New("Android did not say whether the network has a proxy: " + n.Proxy.UnknownBy) //nolint:staticcheck // a name
	}
	d := network.DefaultProxy{Host: n.Proxy.Host, Port: n.Proxy.Port, Exclusions: n.Proxy.Exclude, PAC: n.Proxy.AutoURL}
	return d, d.Host != "" || d.PAC != "", nil
}

func (p *Phone) keep(n android.Network) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.net, p.seen = n, true
}

// Watch asks Android every so often: a callback would need one more Java class.
func (p *Phone) Watch(ctx context.Context, changed func()) {
	android.WatchNetwork(ctx, budget.NetWatch.Time, func(n android.Network, err error) {
		if err == nil {
			p.keep(n)
		}
		changed()
	})
}

// Online is what Android said last.
func (p *Phone) Online() network.Online {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case !p.seen:
		return network.OnlineUnknown
	case p.net.Connected:
		return network.IsOnline
	}
	return network.Offline
}

// CountsChildren is true from Android 12 on, unless the user switched that off; where Android does not say, it is assumed.
func (*Phone) CountsChildren() bool {
	monitor, err := android.PhantomMonitor()
	return err != nil || monitor == android.MonitorOn || monitor == android.MonitorUnknown
}

// Pack is the APK, read in place.
func (*Phone) Pack() (file, entry string) {
	d, err := android.ReadDevice()
	if err != nil {
		return "", ""
	}
	return d.Package, android.PackEntry
}

// OpenURL opens the browser, or whatever the user chose for addresses.
func (*Phone) OpenURL(_ context.Context, address string) error { return android.OpenURL(address) }

// Facts are the phone and its Android.
func (*Phone) Facts() []diag.Fact {
	d, err := android.ReadDevice()
	if err != nil {
		return []diag.Fact{{Name: "Device", Value: "unknown: " + err.Error()}}
	}
	return []diag.Fact{
		{Name: "Device", Value: d.Manufacturer + " " + d.Model},
		{Name: "Android", Value: fmt.Sprintf("%s (API %d), %s", d.Release, d.SDK, strings.Join(d.ABIs, " "))},
		{Name: "App", Value: fmt.Sprintf("%s (%d), uid %d", d.Version, d.VersionCode, d.UID)},
	}
}

// Switches are what only the user can allow, in the system's own pages.
func (*Phone) Switches() []Switch {
	exempt, err := android.BatteryExempt()
	list := []Switch{{
		Label: "Battery", OK: exempt && err == nil, Open: android.AskBatteryExemption,
		Says: said(exempt, err, "Keva may work while the screen is off", "Android may stop long runs while the screen is off. Tap to allow them"),
	}}
	shown, err := android.NotificationsEnabled()
	list = append(list, Switch{
		Label: "Notifications", OK: shown && err == nil, Open: android.OpenNotificationSettings,
		Says: said(shown, err, "Keva can say when it needs you", "Keva can't say when it needs you, and Android may end it sooner. Tap to allow them"),
	})
	d, err := android.ReadDevice()
	if err == nil && len(android.AutostartPages(d.Manufacturer)) > 0 {
		list = append(list, Switch{
			Label: "Autostart on " + d.Manufacturer,
			Says:  "Phones of this maker end apps of their own accord. Allow Keva there; how it stands can't be read",
			Open: func() error {
				_, err := android.OpenAutostart(d.Manufacturer)
				return err
			},
		})
	}
	monitor, err := android.PhantomMonitor()
	if err != nil || monitor == android.MonitorOn || monitor == android.MonitorUnknown {
		list = append(list, Switch{
			Label: "Child processes", Open: android.OpenDeveloperOptions,
			Says: "This Android ends programs of apps when there are more than 32 of all apps together. A developer option switches that off: “Disable child process restrictions”",
		})
	}
	return list
}

func said(ok bool, err error, yes, no string) string {
	switch {
	case err != nil:
		return "Unknown: Android did not say"
	case ok:
		return yes
	}
	return no
}

// Checks are what the doctor looks at on a phone.
func (p *Phone) Checks() []doctor.Check {
	const here = "This phone"
	list := []doctor.Check{
		{ID: "memory", Group: here, Title: "Memory", Run: checkMemory},
		{ID: "exits", Group: here, Title: "Earlier ends of Keva", Run: checkExits},
	}
	return append(list, doctor.Check{ID: "switches", Group: here, Title: "Background work", Run: func(context.Context) []doctor.Finding {
		var found []doctor.Finding
		for _, s := range p.Switches() {
			f := doctor.Finding{ID: "switch." + s.Label, Title: s.Label, State: doctor.OK, Says: s.Says + "."}
			if !s.OK {
				f.State, f.Remedy = doctor.Warning, "Open it in Settings, This phone."
			}
			found = append(found, f)
		}
		return found
	}})
}

func checkMemory(context.Context) []doctor.Finding {
	m, err := android.ReadMemory()
	if err != nil {
		return []doctor.Finding{{State: doctor.Unknown, Says: "Android did not say how much memory is free.", Detail: err.Error()}}
	}
	f := doctor.Finding{State: doctor.OK, Says: fmt.Sprintf("%d of %d MB are free.", m.Available/1e6, m.Total/1e6)}
	if m.Low {
		f.State, f.Remedy = doctor.Warning, "Android ends apps now. Close some before a long run."
	}
	return []doctor.Finding{f}
}

// checkExits says why earlier processes of Keva ended, in plain words: "killed" has many causes, and Android knows which.
func checkExits(context.Context) []doctor.Finding {
	list, known, err := android.Exits(5)
	switch {
	case err != nil:
		return []doctor.Finding{{State: doctor.Unknown, Says: "Android did not say.", Detail: err.Error()}}
	case !known:
		return []doctor.Finding{{State: doctor.Absent, Says: "This Android does not keep why apps ended. Android 11 and later do."}}
	case len(list) == 0:
		return []doctor.Finding{{State: doctor.OK, Says: "Android knows of none."}}
	}
	worst, words := doctor.OK, []string{}
	for _, e := range list {
		word, bad := exitWords(e.Reason)
		if bad {
			worst = doctor.Warning
		}
		words = append(words, e.When.Local().Format("2 Jan 15:04")+" "+word)
	}
	f := doctor.Finding{State: worst, Says: strings.Join(words, "; ") + "."}
	if worst == doctor.Warning {
		f.Remedy = "Close other apps for long runs, and allow Keva to work in the background."
	}
	return []doctor.Finding{f}
}

// exitWords is a reason in plain words, and whether the system ended what should have gone on.
func exitWords(r android.ExitReason) (string, bool) {
	switch r {
	case android.ExitSelf:
		return "closed itself", false
	case android.ExitSignaled:
		return "ended by a signal of the system", true
	case android.ExitLowMemory:
		return "ended because memory was short", true
	case android.ExitCrash, android.ExitCrashNative:
		return "crashed", true
	case android.ExitANR:
		return "did not answer, and was ended", true
	case android.ExitInitFailure:
		return "could not start", true
	case android.ExitPermission, android.ExitPackageStateChanged:
		return "ended because a permission changed", false
	case android.ExitExcessiveResources:
		return "ended because it used too much", true
	case android.ExitUserRequested:
		return "closed by you, or by an update", false
	case android.ExitUserStopped:
		return "ended with its user of the phone", false
	case android.ExitDependencyDied:
		return "ended with something that it needs", true
	case android.ExitFreezer:
		return "frozen and then ended", true
	case android.ExitPackageUpdated:
		return "ended by an update", false
	case android.ExitOther, android.ExitUnknown:
	}
	return "ended, and it is unknown why", true
}
