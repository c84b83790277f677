package build

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"keva/engines/userland/pack"
)

// licenceDir is where licence texts are kept in the tree, one for each package.
const licenceDir = "usr/share/licences"

// debLicences moves each package's copyright file to the licence folder. It is run before usr/share/doc is dropped. A
// package without one is an error: we would hand it on without the right to.
func (t tree) debLicences(packages []Package) ([]pack.Licence, error) {
	var all []pack.Licence
	for _, p := range packages {
		name := licenceDir + "/" + p.Name
		from, n := t.find("usr/share/doc/" + p.Name + "/copyright")
		if n == nil || n.kind != pack.Regular {
			return nil, fmt.Errorf("the package %s has no licence text", p.Name)
		}
		// Some packages share the folder of a sister.
		owner := strings.Split(from, "/")[3]
		if owner != p.Name && slices.ContainsFunc(packages, func(q Package) bool { return q.Name == owner }) {
			name = licenceDir + "/" + owner
		} else if err := t.set(name, 0o644, n.data); err != nil {
			return nil, err
		}
		all = append(all, pack.Licence{Name: p.Name, Version: p.Version, Path: name})
	}
	// The texts that many of them only name.
	const common = "usr/share/common-licenses/"
	for _, p := range t.paths() {
		if strings.HasPrefix(p, common) && t[p].kind == pack.Regular {
			all = append(all, pack.Licence{Name: path.Base(p), Version: "full text", Path: p})
		}
	}
	return all, nil
}

// licence keeps a text of an npm package that lies elsewhere than its files.
func (t tree) licence(name, version string, text []byte) (pack.Licence, error) {
	if len(text) == 0 {
		return pack.Licence{}, fmt.Errorf("the package %s has no licence text", name)
	}
	p := licenceDir + "/" + name
	return pack.Licence{Name: name, Version: version, Path: p}, t.set(p, 0o644, text)
}

// nestedLicences lists the packages that npm itself is made of, with the texts where they lie. A package without a text
// is listed with its package.json, which names the licence.
func (t tree) nestedLicences(below string) ([]pack.Licence, error) {
	var all []pack.Licence
	for _, p := range t.paths() {
		if !strings.HasPrefix(p, below+"/") || path.Base(p) != "package.json" || !strings.Contains(p, "/node_modules/") {
			continue
		}
		dir := path.Dir(p)
		if _, name, _ := cutLast(dir, "/node_modules/"); strings.Count(name, "/") > 1 || strings.Contains(name, "/") && name[0] != '@' {
			continue // a package.json below a package only says which kind of modules lies there
		}
		var about struct{ Name, Version string }
		if err := json.Unmarshal(t[p].data, &about); err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
		all = append(all, pack.Licence{Name: about.Name, Version: about.Version, Path: t.textIn(dir, p)})
	}
	return all, nil
}

// textIn is the licence text in dir, or other.
func (t tree) textIn(dir, other string) string {
	best := other
	for _, p := range t.paths() {
		if path.Dir(p) != dir {
			continue
		}
		name := strings.ToLower(path.Base(p))
		if strings.HasPrefix(name, "license") || strings.HasPrefix(name, "licence") || strings.HasPrefix(name, "copying") {
			return p
		}
	}
	return best
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
