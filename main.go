// Command keva hosts coding agents: in a window, or with `keva run` on a terminal. This file composes; it decides nothing.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"
	"github.com/rs/zerolog"
	"golang.org/x/term"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/agent/trust"
	"keva/engines/access"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/engines/trustscan"
	"keva/platform/host"
	"keva/platform/logging"
	"keva/platform/project"
	"keva/platform/secret"
	"keva/platform/settings"
	"keva/platform/store"
	"keva/ui/headless"
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
keva version               print the version

“keva run -h” and “keva replay -h” list the flags.
Exit codes of run: 0 success, 1 failure, 2 usage, 3 unknown outcome, 4 interrupted, 5 could not begin, 6 timeout.
`

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	if len(args) > 0 {
		switch args[0] {
		case "run":
			return runPrompt(args[1:])
		case "replay":
			return replay(args[1:])
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

// world is everything below the surfaces.
type world struct {
	store    *store.Store
	settings *settings.Service
	keys     *secret.Layered
	slot     *slot.Slot
	service  *session.Service
	access   *access.Access
	list     []runtime.Factory
	log      zerolog.Logger
	data     string // where projects and engines may be kept
	closers  []func()
}

// compose builds the world. What can be survived (a folder that can't be written, a damaged database) is told by the
// notices; an error means that nothing can run.
func compose(ctx context.Context) (*world, []event.Notice, error) {
	dirs, err := host.Find(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	w := &world{slot: &slot.Slot{}, keys: &secret.Layered{System: secret.System{}}, data: dirs.Data}
	var notices []event.Notice
	if err := dirs.Make(); err != nil { // engines need a home all the same
		if w.data, err = os.MkdirTemp("", "keva"); err != nil {
			return nil, nil, err
		}
		w.closers = append(w.closers, func() { _ = os.RemoveAll(w.data) })
	} else if lock, err := host.LockData(dirs.Data); err == nil {
		w.closers = append(w.closers, func() { _ = lock.Release() })
	} else if held := (*host.HeldError)(nil); errors.As(err, &held) {
		return nil, nil, held.Reason
	}
	logFile, err := logging.Open(dirs.State)
	if err != nil {
		notices = append(notices, event.Notice{Level: event.LevelWarning, Text: "Keva keeps its log in memory only.", Detail: err.Error()})
	}
	w.closers = append(w.closers, func() { _ = logFile.Close() })
	w.log = logFile.Logger(zerolog.InfoLevel)
	var told []event.Notice
	if w.store, told, err = store.Open(ctx, dirs.Data); err != nil {
		return nil, nil, err
	}
	notices = append(notices, told...)
	w.closers = append(w.closers, func() { _ = w.store.Close() })
	orphans := catalog.Reclaim(w.data) // the folder is locked: whoever started them is gone

	cache, err := install.CacheDir()
	if err != nil {
		return nil, nil, err
	}
	w.list = catalog.Factories(catalog.Options{
		Find:     func(id string) (install.Paths, error) { return install.Find(install.Default(), id, cache) },
		StateDir: w.data, Version: version,
	})
	var known []settings.Engine
	for _, f := range w.list {
		known = append(known, settings.Engine{ID: f.ID(), Kind: catalog.Kind(f.ID())})
	}
	w.settings, told = settings.Open(ctx, w.store, known)
	notices = append(notices, told...)
	w.access = access.New(access.Options{
		Providers: func() []provider.Provider { return w.settings.Get().Providers },
		Key:       func(ctx context.Context, id string) (string, error) { return w.keys.Get(ctx, provider.Secret(id)) },
		Kind:      catalog.Kind, Pace: 15 * time.Millisecond, Protect: logFile.Protect,
	})
	w.closers = append(w.closers, w.access.Close)
	w.service = session.NewService(session.Deps{
		Store: w.store, Slot: w.slot, Factories: w.list, Provider: w.access.Resolve,
		CheckDir: project.Check, Instructions: project.Instructions, Trust: w.trust,
		Clock: func() time.Time { return time.Now().UTC() }, NewID: newID,
		Log: func(what string, err error) { w.log.Error().Err(err).Msg(what) },
	})
	for _, n := range notices {
		w.log.Warn().Str("detail", n.Detail).Msg(n.Text)
	}
	for _, o := range orphans {
		w.log.Info().Str("found", string(o.Found)).Int("pid", o.PID).Ints("ended", o.Ended).Ints("left", o.Left).Str("why", o.Why).Msg("run record")
		n, tell := o.Notice()
		if !tell {
			continue
		}
		// Without a session (it was deleted, or it was a version check) everybody is told.
		if o.Session == "" || w.service.Tell(ctx, o.Session, n) != nil {
			notices = append(notices, n)
		}
	}
	return w, notices, nil
}

// trust looks at what a project would run or allow by itself, and what of it the user has agreed to as it is now.
func (w *world) trust(dir string) ([]trust.Entry, trust.Report) {
	r := trustscan.Scan(dir)
	return trust.Granted(r, w.settings.Get().Consents), r
}

// close ends engines first, then what they use.
func (w *world) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.service.Close(ctx); err != nil {
		w.log.Error().Err(err).Msg("close")
	}
	for i := len(w.closers) - 1; i >= 0; i-- {
		w.closers[i]()
	}
}

// newID is a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// demoProject makes the sample project, or finds it as it was left.
func (w *world) demoProject(context.Context) (string, error) {
	dir := filepath.Join(w.data, "projects", "demo")
	if demo.IsProject(dir) {
		return dir, nil
	}
	err := demo.NewProject(dir)
	if errors.Is(err, demo.ErrNoGit) { // it works without; only the engines' own git steps don't
		w.log.Warn().Err(err).Msg("demo project")
		err = nil
	}
	return dir, err
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
	w, notices, err := compose(ctx)
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	defer w.close()
	home, _ := os.UserHomeDir() // only shortens paths
	var s *shell.Shell
	s = shell.New(a, shell.Deps{
		Sessions: shell.FromService(w.service), Settings: surface{w},
		Demo:    &shell.Demo{Provider: provider.Demo, Prompt: "Start the tour", Project: w.demoProject},
		OpenURL: func(url string) error { return host.OpenURL(ctx, url) },
		Home:    home, Mobile: *mobile, Storage: w.store.Ephemeral,
		Agree: func(c trust.Consent) error {
			return w.settings.Update(ctx, func(s *settings.Settings) { s.Consents = trust.Put(s.Consents, c) })
		},
		AgreedBefore: func(dir string) bool {
			return slices.ContainsFunc(w.settings.Get().Consents, func(c trust.Consent) bool { return c.Dir == dir })
		},
		RetryStore: func(ctx context.Context) error {
			told, err := w.store.Retry(ctx)
			if err == nil { // what is on the disk counts from now on
				told = append(told, w.settings.Reload(ctx)...)
			}
			fyne.Do(func() {
				for _, n := range told {
					s.Say(n.Text)
				}
			})
			return err
		},
	})
	for _, n := range notices {
		s.Say(n.Text)
	}
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
	ctx := context.Background()
	w, notices, err := compose(ctx)
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	defer w.close()
	for _, n := range notices {
		fmt.Fprintln(os.Stderr, "keva:", n.Text)
	}
	set := w.settings.Get()
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
		n.Dir, err = w.demoProject(ctx)
	default:
		n.Dir, err = filepath.Abs(n.Dir)
	}
	if err != nil {
		return int(headless.Fail(os.Stderr, err))
	}
	s, err := w.service.Create(ctx, n)
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
		Allow: policy.Decide, Signals: stops, Timeout: *timeout,
	}))
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
type surface struct{ w *world }

func (s surface) Values() uisettings.Values {
	set := s.w.settings.Get()
	c := set.Choice(set.Engine)
	v := uisettings.Values{
		Engine: set.Engine, Provider: c.Provider, Model: c.Model, Effort: c.Effort,
		Mode: theme.Mode(set.Theme), Scale: theme.Scale(set.TextSize), ReducedMotion: set.ReducedMotion,
	}
	if p, ok := set.Custom(); ok {
		v.BaseURL = p.BaseURL
	}
	return v
}

func (s surface) Save(v uisettings.Values) error {
	return s.w.settings.Update(context.Background(), func(set *settings.Settings) {
		set.Engine, set.Theme, set.TextSize = v.Engine, settings.Theme(v.Mode), settings.TextSize(v.Scale)
		set.ReducedMotion = v.ReducedMotion
		set.Choices[v.Engine] = settings.Choice{Provider: v.Provider, Model: v.Model, Effort: v.Effort}
		if v.Provider == provider.Custom {
			p, err := provider.NewCustom("", catalog.Kind(v.Engine), v.BaseURL)
			if err != nil { // Update refuses it with the same sentence
				p = provider.Provider{ID: provider.Custom, BaseURL: v.BaseURL}
			}
			set.SetCustom(p)
		}
	})
}

func (s surface) Engines() []uisettings.Engine {
	var list []uisettings.Engine
	for _, f := range s.w.list {
		list = append(list, uisettings.Engine{ID: f.ID(), Label: f.Label()})
	}
	return list
}

func (s surface) Providers(engine string) []uisettings.Provider {
	var list []uisettings.Provider
	custom := false
	for _, p := range provider.For(s.w.settings.Get().Providers, catalog.Kind(engine)) {
		custom = custom || p.Owned()
		note := ""
		if p.Key == provider.KeyOptional {
			note = "With an API key, or the engine's own sign-in"
		}
		list = append(list, uisettings.Provider{ID: p.ID, Label: p.Name, Note: note, NeedsKey: p.Key != provider.KeyNone, Custom: p.Owned()})
	}
	if !custom {
		list = append(list, uisettings.Provider{
			ID: provider.Custom, Label: "Own address", Note: "A server that speaks " + catalog.Kind(engine).Label(), NeedsKey: true, Custom: true,
		})
	}
	return list
}

func (s surface) HasKey(ctx context.Context, id string) (bool, error) {
	key, err := s.w.keys.Get(ctx, provider.Secret(id))
	return key != "", err
}

func (s surface) SaveKey(ctx context.Context, id, key string) error {
	return s.w.keys.Set(ctx, provider.Secret(id), key)
}

func (s surface) ForgetKey(ctx context.Context, id string) error {
	return s.w.keys.Delete(ctx, provider.Secret(id))
}

func (s surface) Consents() []trust.Consent { return s.w.settings.Get().Consents }

func (s surface) Revoke(dir string) error {
	return s.w.settings.Update(context.Background(), func(set *settings.Settings) { set.Consents = trust.Revoke(set.Consents, dir) })
}

func (s surface) Check(ctx context.Context, engine string) (string, error) {
	return s.w.service.Check(ctx, engine, "the settings")
}
