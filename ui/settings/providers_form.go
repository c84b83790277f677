package settings

import (
	"context"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/provider"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// form is the page of one provider of the user's. Fields are kept while it is drawn anew: nothing that was typed is lost.
type form struct {
	s     *Screen
	owner Owner
	draft draft
	kept  func(provider.Provider) // told of what is kept now; the zero value: it was removed
	back  func()

	name, address, second, key *screen.Entry
	standins                   map[string]*screen.Entry
	headers                    []*screen.Entry
	frames                     map[*screen.Entry]fyne.CanvasObject // drawn anew in the same frame: a field keeps the focus

	wrong   map[string]string // what can't be right, by place
	busy    bool
	saved   bool // what is in the fields is what is kept
	asking  bool // the address is being tried
	answer  error
	tried   int // counts attempts: only the last one's answer is shown
	keys    keyState
	keyFail error // the key of this form could not be kept or deleted

	bar    *screen.Bar
	column *fyne.Container
	scroll *screen.Scroller
}

// editOwn opens the form: of a provider that is kept, or of a new one for the engine in use.
func (s *Screen) editOwn(o Owner, p provider.Provider, kept func(provider.Provider)) {
	s.deps.Show(func(back func()) fyne.CanvasObject {
		f := &form{s: s, owner: o, draft: draftOf(p), kept: kept, back: back, standins: map[string]*screen.Entry{}, frames: map[*screen.Entry]fyne.CanvasObject{}}
		f.name, f.address, f.second = f.entry(f.draft.name), f.entry(f.draft.address), f.entry(f.draft.second)
		f.key = screen.NewEntry(true)
		f.key.OnChanged = f.changed
		f.name.SetPlaceHolder("The host of the address")
		f.address.SetPlaceHolder("https://api.example.com")
		f.second.SetPlaceHolder("The same address")
		for _, name := range standins {
			f.standins[name] = f.entry(f.draft.standins[name])
			f.standins[name].SetPlaceHolder("As the provider names it")
		}
		for _, line := range append(slices.Clone(f.draft.headers), "") {
			f.addHeader(line)
		}
		f.column = screen.Column(0, screen.Insets{Bottom: theme.Space6})
		f.scroll = screen.Scroll(f.column)
		title := p.Name
		if p.ID == "" {
			title = "New provider"
		}
		f.bar = screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", back), title, "")
		f.rebuild()
		f.askKey()
		return screen.Page(f.bar, screen.On(screen.Fill(theme.Background), f.scroll.Object()))
	})
}

func (f *form) entry(text string) *screen.Entry {
	e := screen.NewEntry(false)
	e.SetText(text)
	e.OnChanged = f.changed
	return e
}

func (f *form) addHeader(line string) {
	e := f.entry(line)
	e.SetPlaceHolder("Name: value")
	f.headers = append(f.headers, e)
}

// changed takes back what is said of the fields as they were.
func (f *form) changed(string) {
	if f.saved {
		f.saved = false
		f.rebuild()
	}
}

// read takes what is typed into the draft.
func (f *form) read() {
	d := &f.draft
	d.name, d.address, d.second, d.headers = f.name.Text, f.address.Text, f.second.Text, nil
	for name, e := range f.standins {
		d.standins[name] = e.Text
	}
	for _, e := range f.headers {
		d.headers = append(d.headers, e.Text)
	}
}

func (f *form) rebuild() {
	var o []fyne.CanvasObject
	row := func(label, second string, do func()) {
		o = append(o, screen.TapRow(label, second, screen.NewIcon(screen.GlyphNext, theme.Muted, 18), do), screen.Separator())
	}
	field := func(at string, e *screen.Entry, help string) { o = append(o, f.field(at, e, help)) }
	d := f.draft

	o = append(o, screen.Section("Where it is"))
	row("Protocol", kindsLabel(d.kinds), f.chooseKinds)
	field(atAddress, f.address, "")
	if d.both() {
		field(atSecond, f.second, "")
	}
	field("Name", f.name, "")

	o = append(o, screen.Section("How it lets you in"))
	field(atKey, f.key, f.keyHelp())
	if f.keys.known && f.keys.has {
		o = append(o, screen.Column(0, screen.Insets{Left: theme.Space4, Right: theme.Space4}, mark.NewBigButton("Forget the key", mark.Quiet, f.forgetKey)))
	}
	if d.speaks(provider.Anthropic) {
		row("The key is sent as", authLabel(d), f.chooseAuth)
		o = append(o, screen.Section("Models for Claude's names"))
		for _, name := range standins {
			field(name, f.standins[name], "")
		}
	}
	o = append(o, screen.Section("Extra headers"))
	for i, e := range f.headers {
		field(headerAt(i), e, "")
	}
	row("Another header", "They go with each request. An empty one is left out.", func() {
		f.addHeader("")
		f.rebuild()
	})

	end := f.state()
	save := mark.NewBigButton("Save", mark.Primary, f.save)
	end = append(end, save)
	if d.stored.ID != "" {
		end = append(end, screen.Column(0, screen.Insets{Top: theme.Space4}, mark.NewBigButton("Remove this provider", mark.Danger, f.askRemove)))
	}
	o = append(o, screen.Column(theme.Space2, screen.Pad(theme.Space4), end...))
	f.column.Objects = o
	f.scroll.Changed()
}

// field is a labelled field, with what is wrong with it.
func (f *form) field(at string, e *screen.Entry, help string) fyne.CanvasObject {
	if f.frames[e] == nil {
		f.frames[e] = screen.Field(e)
	}
	o := []fyne.CanvasObject{screen.NewPara(at, screen.LineStyle), f.frames[e]}
	if help != "" {
		o = append(o, screen.NewPara(help, screen.SecondaryStyle))
	}
	if text := f.wrong[at]; text != "" {
		o = append(o, screen.NewPara(text, screen.ErrorStyle))
	}
	if at == atKey && f.keyFail != nil {
		o = append(o, screen.NewPara(Sentence(f.keyFail), screen.ErrorStyle))
	}
	return screen.Column(theme.Space1, screen.Insets{Top: theme.Space2, Right: theme.Space4, Bottom: theme.Space2, Left: theme.Space4}, o...)
}

// state says how the last attempt to keep it went, and what its server answered.
func (f *form) state() []fyne.CanvasObject {
	line := func(m fyne.CanvasObject, text string) fyne.CanvasObject {
		return screen.Line(theme.Space2, 1, screen.Insets{}, m, screen.NewPara(text, screen.LineStyle))
	}
	bad := func(text string) []fyne.CanvasObject {
		return []fyne.CanvasObject{screen.NewPara(text, screen.ErrorStyle)}
	}
	switch {
	case f.busy:
		return []fyne.CanvasObject{line(mark.New(transcript.MarkRunning), "Keeping it…")}
	case f.wrong[atWhole] != "":
		return bad("Not kept. " + f.wrong[atWhole])
	case len(f.wrong) > 0:
		return bad("Not kept. Correct what is marked above: " + strings.Join(f.places(), ", ") + ".")
	case !f.saved:
		return nil
	case f.keyFail != nil:
		return bad("The provider is kept, its key is not.")
	case f.asking:
		return []fyne.CanvasObject{line(mark.New(transcript.MarkRunning), "Kept. Asking whether it can be used…")}
	case f.answer != nil:
		return []fyne.CanvasObject{line(mark.New(transcript.MarkFailed), "Kept, but it can't be used as it is now. "+Sentence(f.answer))}
	}
	return []fyne.CanvasObject{line(mark.New(transcript.MarkDone), "Kept, and it answers. Engines that run use it from their next start.")}
}

// places are the places that are wrong, in the order of the form.
func (f *form) places() (list []string) {
	all := []string{atAddress, atSecond, atKey}
	for i := range f.headers {
		all = append(all, headerAt(i))
	}
	for _, at := range all {
		if f.wrong[at] != "" {
			list = append(list, at)
		}
	}
	return list
}

// save keeps what is typed if it can be right, then tries the address.
func (f *form) save() {
	if f.busy {
		return
	}
	f.read()
	p, wrong := f.draft.provider()
	f.wrong, f.keyFail, f.saved = wrong, nil, false
	if len(wrong) > 0 {
		f.rebuild()
		return
	}
	key := strings.TrimSpace(f.key.Text)
	f.busy = true
	f.rebuild()
	f.s.deps.Go(func() {
		p, err := f.owner.PutProvider(context.Background(), p)
		var keyErr error
		if err == nil && key != "" {
			keyErr = f.s.deps.Service.SaveKey(context.Background(), p.ID, key)
		}
		f.s.deps.Post(func() { f.wasKept(p, err, keyErr) })
	})
}

func (f *form) wasKept(p provider.Provider, err, keyErr error) {
	f.busy = false
	if err != nil {
		f.wrong = map[string]string{atWhole: Sentence(err)}
		f.rebuild()
		return
	}
	f.draft.stored, f.keyFail = p, keyErr
	if keyErr == nil {
		f.key.SetText("")
	}
	if strings.TrimSpace(f.name.Text) == "" {
		f.name.SetText(p.Name)
	}
	f.bar.Title.SetText(p.Name)
	f.saved = true
	f.s.ownChanged()
	f.kept(p)
	f.askKey()
	if keyErr == nil {
		f.try(p.ID)
	}
	f.rebuild()
}

// try asks the address before an engine fails there in a way that nobody understands.
func (f *form) try(id string) {
	f.tried++
	n := f.tried
	f.asking, f.answer = true, nil
	f.s.deps.Go(func() {
		err := f.owner.CheckProvider(context.Background(), id)
		f.s.deps.Post(func() {
			if n == f.tried {
				f.asking, f.answer = false, err
				f.rebuild()
			}
		})
	})
}
