//go:build linux && amd64

package lab

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Check is one need of an agent's commands: see test/jail/battery/README.md.
type Check struct {
	Group, Name string
	Core        bool // also in the short set
	Want        []*regexp.Regexp
	Script      string
}

// Battery reads the checks of all groups, in order.
func (l *Lab) Battery() ([]Check, error) {
	files, err := filepath.Glob(filepath.Join(l.Source, "test/jail/battery/*.battery"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no battery: %v", err)
	}
	var all []Check
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		checks, err := parseBattery(strings.TrimSuffix(filepath.Base(path), ".battery"), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, checks...)
	}
	return all, nil
}

func parseBattery(group, text string) ([]Check, error) {
	var list []Check
	for n, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s.battery:%d", group, n+1)
		if head, ok := strings.CutPrefix(line, "== "); ok {
			words := strings.Fields(head)
			if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != "core" {
				return nil, fmt.Errorf("%s: want a name, and perhaps the word core", where)
			}
			if slices.ContainsFunc(list, func(c Check) bool { return c.Name == words[0] }) {
				return nil, fmt.Errorf("%s: there is a check of the name %s already", where, words[0])
			}
			list = append(list, Check{Group: group, Name: words[0], Core: len(words) == 2})
			continue
		}
		if len(list) == 0 {
			if line != "" {
				return nil, fmt.Errorf("%s: a line before the first check", where)
			}
			continue
		}
		c := &list[len(list)-1]
		if want, ok := strings.CutPrefix(line, "#= "); ok {
			re, err := regexp.Compile("(?m)" + want)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", where, err)
			}
			c.Want = append(c.Want, re)
			continue
		}
		c.Script += line + "\n"
	}
	return list, nil
}

// Problem says why a run of the check is not what it should be; "" when it is.
func (c Check) Problem(err error, output string) string {
	if err != nil {
		return err.Error()
	}
	for _, re := range c.Want {
		if !re.MatchString(output) {
			return "the output does not match " + re.String()
		}
	}
	return ""
}
