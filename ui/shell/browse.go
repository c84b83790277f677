package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"keva/ui/chat"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// maxFolders is how many folders are listed: a longer list is better typed than scrolled.
const maxFolders = 200

// folders lists the folders in dir by name, without hidden ones.
func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() { // follows links
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return names, nil
}

// browse lets the user walk to a folder; chosen gets its path.
func (s *Shell) browse(dir string, chosen func(string)) {
	if dir == "" {
		dir = string(filepath.Separator)
	}
	s.deps.Go(func() {
		names, err := s.deps.Folders(dir)
		s.deps.Post(func() { s.showFolders(dir, names, err, chosen) })
	})
}

func (s *Shell) showFolders(dir string, names []string, err error, chosen func(string)) {
	var sheet *screen.Sheet
	walk := func(to string) func() {
		return func() {
			sheet.Close()
			s.browse(to, chosen)
		}
	}
	o := []fyne.CanvasObject{
		screen.NewText("Choose a folder", screen.SheetTitle),
		screen.NewPara(screen.Short(dir, s.deps.Home), screen.SecondaryStyle),
	}
	if err == nil {
		o = append(o, mark.NewBigButton("Use this folder", mark.Primary, func() {
			sheet.Close()
			chosen(dir)
		}))
	} else {
		o = append(o, screen.NewPara("This folder can't be read. "+chat.Sentence(err), screen.ErrorStyle))
	}
	if up := filepath.Dir(dir); up != dir {
		o = append(o, screen.ListRow("..", "", nil, walk(up)))
	}
	for i, name := range names {
		if i == maxFolders {
			o = append(o, screen.NewPara("There are more. Type the path instead.", screen.SecondaryStyle))
			break
		}
		o = append(o, screen.ListRow(name, "", screen.NewIcon(screen.GlyphFolder, theme.Muted, 18), walk(filepath.Join(dir, name))))
	}
	sheet = screen.ShowSheet(s.win.Canvas(), nil, o...)
}
