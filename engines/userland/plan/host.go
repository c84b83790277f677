package plan

import (
	"os"
	"path/filepath"
)

// inherited are the variables of Keva's own environment that a desktop's engines get, beside PATH, HOME and LANG: who the
// user is, and how their machine is set up. Nothing else is passed on.
var inherited = []string{"USER", "LOGNAME", "TMPDIR", "LC_ALL", "LC_CTYPE", "TZ"}

// Host is this machine as this process sees it now. Its few inherited variables are read at each call.
func Host() Place {
	p := Place{Kind: KindHost, Path: os.Getenv("PATH"), Lang: os.Getenv("LANG")}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		p.Home = home
	}
	if p.Lang == "" || p.Lang == "C" || p.Lang == "POSIX" { // not even ä can be written in those
		p.Lang = "C.UTF-8"
	}
	for _, name := range inherited {
		if value := os.Getenv(name); value != "" {
			p.Env = append(p.Env, name+"="+value)
		}
	}
	return p
}
