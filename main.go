// Command keva hosts coding agents: in a window, or with `keva run` on a terminal. This file composes; it decides nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"golang.org/x/term"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/provider"
	"keva/agent/session"
	"keva/agent/trust"
	"keva/engines/catalog"
	"keva/engines/core"
	"keva/engines/userland/plan"
	"keva/platform/device"
	"keva/platform/host"
	"keva/platform/models"
	"keva/platform/settings"
	"keva/ui/headless"
	"keva/ui/network"
	uireplay "keva/ui/replay"
	uisettings "keva/ui/settings"
	"keva/ui/shell"
	"keva/ui/theme"
)

// version is Keva's own; releases set it by -ldflags.
var version = "0.1.0"

const usage = `keva                       open the window (--mobile: phone layout)
keva run [flags] "PROMPT"  run one prompt here, without a window
keva replay [flags] FILE   show a recorded transcript; no engine is started
keva doctor [-json]        say what works, what does not and what to do
keva version               print the version

“keva run -h”, “keva replay -h” and “keva doctor -h” list the flags.
Exit codes of run and doctor: 0 success, 1 failure, 2 usage, 3 unknown outcome, 4 interrupted, 5 could not begin, 6 timeout.
`

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "run":
			return runPrompt(args[1:])
		case "replay":
			return replay(args[1:])
		case "doctor":
			return examine(args[1:])
		case "version":
			fmt.Println("keva", version)
			return 0
		case "help", "-h", "--help":
			fmt.Print(usage)
			return 0
		}
	}
	return window(args)
}

// newApp makes the toolkit's app, or says why there can be no window. Without a desktop bus nobody tells whether the
// system is light or dark, so it is light, and the toolkit must not ask: it would start a bus of its own.
func newApp(id string) (fyne.App, error) {
	if err := host.Display(os.Getenv); err != nil {
		return nil, err
	}
	const look = "FYNE_THEME"
	if !host.SessionBus() && os.Getenv(look) == "" {
		_ = os.Setenv(look, "light") // fails for names with NUL or = only
	}
	return app.NewWithID(id), nil
}

func window(args []string) int {
	flags := flag.NewFlagSet("keva", flag.ContinueOnError)
	mobile := flags.Bool("mobile", false, "phone layout on a desktop, 360×780")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		fmt.Fprint(os.Stderr, usage)
		return int(headless.Usage)
	}
	a, err := newApp("app.keva")
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	phone := fyne.CurrentDevice().IsMobile()
	notify := func(title, text string) { a.SendNotification(fyne.NewNotification(title, text)) }
	if !phone && !host.SessionBus() { // the toolkit would print an error for each
		notify = nil
	}
	machine := device.New(notify)
	c, notices, err := core.Open(ctx, core.Options{Version: version, Device: machine})
	if err != nil {
		if phone { // nobody reads a phone's stderr
			shell.ShowFailure(a, err)
		}
		return int(headless.Fail(os.Stderr, err))
	}
	defer c.Close()
	var s *shell.Shell
	pages := []shell.Page{
		{Section: "Network", Label: "Network", Second: "How Keva and its engines reach the net", Make: func(back func()) fyne.CanvasObject {
			return network.New(network.Deps{
				Service: core.Connection{Core: c}, Window: s.Window().Canvas, Back: back, Now: time.Now, Post: fyne.Do, Go: off,
			}).Object()
		}},
		{Section: "About", Label: "Licences", Second: "Of the programs that Keva brings along", Make: func(back func()) fyne.CanvasObject {
			return uisettings.Licences(licences(c), back, s.ShowText)
		}},
	}
	if phone {
		pages = append(pages, shell.Page{Section: "This phone", Label: "Background work", Second: "What Android has to allow, and how it stands", Make: func(back func()) fyne.CanvasObject {
			return uisettings.Switches("Background work", func() []uisettings.Switch { return switches(machine) }, back, fyne.Do, off)
		}})
	}
	var share func(title, text string) error
	if phone {
		share = machine.Share
	}
	s = shell.New(a, shell.Deps{
		Share:    share,
		Sessions: shell.FromService(c.Service), Settings: surface{c},
		Demo:       &shell.Demo{Provider: provider.Demo, Prompt: "Start the tour", Project: c.DemoProject},
		NewProject: c.NewProject,
		OpenURL:    func(url string) error { return machine.OpenURL(ctx, url) },
		Onboarding: core.FirstStart{Core: c}, SignIn: c.SignIn, Doctor: c, KeyFile: c.Keys.File,
		Pages: pages,
		Home:  c.Home(), Mobile: *mobile || phone, Storage: c.Store.Ephemeral,
		Agree:        func(consent trust.Consent) error { return c.Agree(ctx, consent) },
		AgreedBefore: c.AgreedBefore,
		RetryStore: func(ctx context.Context) error {
			told, err := c.RetryStore(ctx)
			fyne.Do(func() {
				for _, n := range told {
					s.Say(n.Text)
				}
			})
			return err
		},
	})
	if c.Keys.File.Exists() && c.Keys.File.Locked() {
		notices = append(notices, event.Notice{Text: "Your key file is locked. Give its passphrase in Settings, Accounts."})
	}
	for _, n := range notices {
		s.Say(n.Text)
	}
	go c.KeepAlive(ctx)
	context.AfterFunc(ctx, a.Quit)
	s.Run()
	return 0
}

func runPrompt(args []string) int {
	flags := flag.NewFlagSet("keva run", flag.ContinueOnError)
	engine := flags.String("engine", "", "claude or codex; the settings' one by default")
	asDemo := flags.Bool("demo", false, "use the demo: a scripted model, no account, no network")
	dir := flags.String("C", "", "project folder; the present one by default, for the demo the sample project")
	allow := flags.String("allow", "none", "what runs without asking: none, reads, all")
	asJSON := flags.Bool("json", false, "print every event as a line of JSON")
	model := flags.String("model", "", "model; the settings' one by default")
	place := flags.String("place", "", "where the engine comes from: host or pack; the settings' one by default")
	timeout := flags.Duration("timeout", 0, "give up after this time; 0 = never")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return int(headless.Usage)
	}
	policy, err := approval.ParsePolicy(*allow)
	if err != nil {
		headless.Fail(os.Stderr, err)
		return int(headless.Usage)
	}
	from := plan.Kind("")
	if *place != "" {
		if from, err = catalog.ParsePlace(*place); err != nil {
			headless.Fail(os.Stderr, err)
			return int(headless.Usage)
		}
	}
	ctx := context.Background()
	c, notices, err := core.Open(ctx, core.Options{Version: version, Place: from})
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	defer c.Close()
	for _, n := range notices {
		fmt.Fprintln(os.Stderr, "keva:", n.Text)
	}
	if err := unpackFirst(ctx, c); err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	set := c.Settings.Get()
	n := session.New{Dir: *dir, Engine: *engine}
	if n.Engine == "" {
		n.Engine = set.Engine
	}
	choice := set.Choice(n.Engine)
	n.Provider, n.Model, n.Effort = choice.Provider, choice.Model, choice.Effort
	if *asDemo {
		n.Provider, n.Model, n.Effort = provider.Demo, "", ""
	}
	if *model != "" {
		n.Model = *model
	}
	switch {
	case n.Dir == "" && *asDemo:
		n.Dir, err = c.DemoProject(ctx)
	default:
		n.Dir, err = filepath.Abs(n.Dir)
	}
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	s, err := c.Service.Create(ctx, n)
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	stops := make(chan struct{}, 2)
	go func() {
		for range signals {
			stops <- struct{}{}
		}
	}()
	return int(headless.Run(ctx, s, headless.Options{
		Prompt: strings.Join(flags.Args(), " "), Dir: n.Dir, Out: os.Stdout, Err: os.Stderr, In: os.Stdin,
		Ask:    term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		Colour: headless.Colour(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv), JSON: *asJSON,
		Allow: policy.Within(n.Dir), Signals: stops, Timeout: *timeout,
	}))
}

// off runs f off the thread of the user interface.
func off(f func()) { go f() }

func licences(c *core.Core) (list []uisettings.Licence) {
	for _, l := range c.Licences() {
		list = append(list, uisettings.Licence{Name: l.Name, Version: l.Version, Text: l.Text})
	}
	return list
}

func switches(d device.Device) (list []uisettings.Switch) {
	for _, s := range d.Switches() {
		list = append(list, uisettings.Switch(s))
	}
	return list
}

// unpackFirst installs the tools that the chosen place needs, and says how far it is.
func unpackFirst(ctx context.Context, c *core.Core) error {
	if onboarding.Next(onboarding.Facts{Tools: c.Tools(ctx), Sessions: 1}) != onboarding.StepTools {
		return nil
	}
	last := int64(-1)
	return c.Unpack(ctx, func(p onboarding.Progress) {
		if tenth := p.Done * 10 / max(1, p.Total); tenth != last {
			last = tenth
			fmt.Fprintf(os.Stderr, "keva: unpacking the Linux tools, %d of %d MB\n", p.Done/1e6, p.Total/1e6)
		}
	})
}

func examine(args []string) int {
	flags := flag.NewFlagSet("keva doctor", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print the findings as JSON")
	report := flags.Bool("report", false, "print a report to share instead: it holds no titles, messages, file contents or keys")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return int(headless.Usage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	c, notices, err := core.Open(ctx, core.Options{Version: version})
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	defer c.Close()
	for _, n := range notices {
		fmt.Fprintln(os.Stderr, "keva:", n.Text)
	}
	found := c.Findings(ctx)
	code, err := headless.Success, error(nil)
	if *report {
		_, err = fmt.Print(c.Report(ctx, found))
	} else {
		code, err = headless.Doctor(os.Stdout, found, *asJSON, headless.Colour(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv))
	}
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	return int(code)
}

func replay(args []string) int {
	flags := flag.NewFlagSet("keva replay", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print every event, then the final state, as lines of JSON")
	asUI := flags.Bool("ui", false, "play it in the window, at its recorded pace")
	mobile := flags.Bool("mobile", false, "with -ui: phone layout")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return int(headless.Usage)
	}
	if flags.NArg() != 1 {
		fmt.Fprint(os.Stderr, "keva replay takes one file.\n")
		return int(headless.Usage)
	}
	f, err := os.Open(flags.Arg(0))
	if err != nil {
		return int(headless.Fail(os.Stderr, &event.Error{Class: event.ClassRequest, Message: "The recording can't be opened: " + err.Error()}))
	}
	defer f.Close()
	evs, err := catalog.Replay(io.Reader(f))
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	if *asUI {
		a, err := newApp("app.keva.replay")
		if err != nil {
			return int(headless.Fail(os.Stderr, err))
		}
		uireplay.Show(a, filepath.Base(flags.Arg(0)), evs, *mobile)
		return 0
	}
	if err := headless.Replay(os.Stdout, evs, *asJSON, headless.Colour(term.IsTerminal(int(os.Stdout.Fd())), os.Getenv)); err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	return 0
}

// surface is the settings as the window's screen takes them.
type surface struct{ *core.Core }

// A page whose service lacks a method would just not be there.
var (
	_ uisettings.Owner   = surface{}
	_ uisettings.Modeler = surface{}
	_ uisettings.Placer  = surface{}
)

func (s surface) Values() uisettings.Values {
	set := s.Settings.Get()
	c := set.Choice(set.Engine)
	return uisettings.Values{
		Engine: set.Engine, Provider: c.Provider, Model: c.Model, Effort: c.Effort,
		Mode: theme.Mode(set.Theme), Scale: theme.Scale(set.TextSize), ReducedMotion: set.ReducedMotion,
		Userland: string(set.Userland),
	}
}

func (s surface) Save(v uisettings.Values) error {
	return s.Settings.Update(context.Background(), func(set *settings.Settings) {
		set.Engine, set.Theme, set.TextSize = v.Engine, settings.Theme(v.Mode), settings.TextSize(v.Scale)
		set.ReducedMotion = v.ReducedMotion
		if u := settings.Userland(v.Userland); u.Valid() {
			set.Userland = u
		}
		set.Choices[v.Engine] = settings.Choice{Provider: v.Provider, Model: v.Model, Effort: v.Effort}
	})
}

func (s surface) Engines() []uisettings.Engine {
	var list []uisettings.Engine
	for _, f := range s.Core.Engines {
		list = append(list, uisettings.Engine{ID: f.ID(), Label: f.Label()})
	}
	return list
}

func (s surface) Providers(engine string) []uisettings.Provider {
	var list []uisettings.Provider
	for _, p := range provider.For(s.Settings.Get().Providers, catalog.Kind(engine)) {
		note := ""
		if p.Key == provider.KeyOptional {
			note = "With an API key, where the server wants one"
		}
		list = append(list, uisettings.Provider{
			ID: p.ID, Label: p.Name, Note: note, NeedsKey: p.Key.Asked(), Custom: p.Owned(), Address: p.Base(catalog.Kind(engine)),
		})
	}
	return list
}

func (s surface) Places(context.Context) []uisettings.Place {
	var list []uisettings.Place
	for _, p := range s.Core.Places() {
		list = append(list, uisettings.Place{ID: string(p.Kind), Label: p.Label, Says: p.Says, Ready: p.Ready})
	}
	return list
}

func (s surface) KnownModels(ctx context.Context, engine, id string) uisettings.ModelList {
	return modelList(s.ModelsOf(ctx, engine, id, false))
}

func (s surface) RefreshModels(ctx context.Context, engine, id string) uisettings.ModelList {
	return modelList(s.ModelsOf(ctx, engine, id, true))
}

func modelList(l models.List) uisettings.ModelList {
	out := uisettings.ModelList{Says: "Never asked"}
	for _, m := range l.Models {
		label := m.Name
		if label == "" {
			label = m.ID
		}
		out.Models = append(out.Models, uisettings.Model{ID: m.ID, Label: label})
	}
	if !l.Listed.IsZero() {
		out.Says = "Listed " + l.Listed.Local().Format("2 Jan 15:04")
	}
	if l.Problem != nil {
		out.Problem = l.Problem.Message
	}
	return out
}

func (s surface) HasKey(ctx context.Context, id string) (bool, error) {
	key, err := s.Keys.Get(ctx, provider.Secret(id))
	return key != "", err
}

func (s surface) SaveKey(ctx context.Context, id, key string) error {
	return s.SetKey(ctx, id, key)
}

func (s surface) ForgetKey(ctx context.Context, id string) error {
	return s.DropKey(ctx, id)
}

func (s surface) Consents() []trust.Consent { return s.Settings.Get().Consents }

func (s surface) Revoke(dir string) error {
	return s.Settings.Update(context.Background(), func(set *settings.Settings) { set.Consents = trust.Revoke(set.Consents, dir) })
}

func (s surface) Check(ctx context.Context, engine string) (string, error) {
	return s.Service.Check(ctx, engine, "the settings")
}
