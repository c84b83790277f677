package settings

import (
	"context"
	"fmt"

	"keva/agent/provider"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// askKey finds out whether a key is kept. What it is, is never read.
func (f *form) askKey() {
	id := f.draft.stored.ID
	if id == "" {
		return
	}
	f.s.deps.Go(func() {
		has, err := f.s.deps.Service.HasKey(context.Background(), id)
		f.s.deps.Post(func() {
			f.keys = keyState{id, true, has, err}
			f.rebuild()
		})
	})
}

func (f *form) keyHelp() string {
	switch {
	case f.draft.stored.ID == "":
		return "It goes into the keyring and is shown nowhere again. Leave it empty where the server wants none."
	case !f.keys.known:
		return "Asking the keyring…"
	case f.keys.err != nil:
		return "Whether one is kept is not known. " + Sentence(f.keys.err)
	case f.keys.has:
		return "Kept. It goes to the address above with each request. Write another one to replace it."
	}
	return "None is kept. Leave it empty where the server wants none."
}

func (f *form) forgetKey() {
	id := f.draft.stored.ID
	f.s.deps.Go(func() {
		err := f.s.deps.Service.ForgetKey(context.Background(), id)
		f.s.deps.Post(func() {
			f.keyFail, f.saved = err, false
			f.s.askKey()
			f.askKey()
			f.rebuild()
		})
	})
}

// askRemove asks first, and says what happens to sessions that use it.
func (f *form) askRemove() {
	p := f.draft.stored
	f.s.deps.Go(func() {
		n, err := f.owner.SessionsWith(context.Background(), p.ID)
		f.s.deps.Post(func() {
			f.confirm("Remove this provider?", "“"+p.Name+"” and its key are removed from this device. "+usedBy(n, err)+
				" Engines that are set to it go back to the demo.", "Remove", func() { f.remove(p, false) })
		})
	})
}

// usedBy says what becomes of the sessions of a provider that goes.
func usedBy(n int, err error) string {
	switch {
	case err != nil:
		return "Whether sessions use it is not known. Those that do can still be read, but can't go on once their engine has stopped."
	case n == 0:
		return "No session uses it."
	case n == 1:
		return "One session uses it: it can still be read, but can't go on once its engine has stopped."
	}
	return fmt.Sprintf("%d sessions use it: they can still be read, but can't go on once their engine has stopped.", n)
}

func (f *form) remove(p provider.Provider, leaveKey bool) {
	f.s.deps.Go(func() {
		err := f.owner.RemoveProvider(context.Background(), p.ID, leaveKey)
		f.s.deps.Post(func() {
			if err != nil {
				f.askKey()
				f.confirm("It was not removed", Sentence(err)+" If only its key can't be deleted, it can be left behind: nothing uses it again.",
					"Remove, leave the key", func() { f.remove(p, true) })
				return
			}
			f.tried++ // an answer that is still on its way is nobody's
			f.s.ownChanged()
			f.kept(provider.Provider{})
			f.back()
		})
	})
}

// confirm asks before something is destroyed.
func (f *form) confirm(title, text, word string, do func()) {
	var sheet *screen.Sheet
	sheet = screen.ShowSheet(f.s.deps.Window(), nil,
		screen.NewPara(title, screen.SheetTitle), screen.NewPara(text, screen.LineStyle),
		mark.NewBigButton("Keep it", mark.Secondary, func() { sheet.Close() }),
		screen.Column(0, screen.Insets{Top: theme.Space2}, mark.NewBigButton(word, mark.Danger, func() {
			sheet.Close()
			do()
		})))
}
