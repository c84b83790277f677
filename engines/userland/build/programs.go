package build

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/engines/install"
	"keva/engines/userland/pack"
)

const nodeModules = "usr/lib/node_modules"

// node brings node and npm.
func (b *builder) node(ctx context.Context) ([]pack.Licence, error) {
	pin := func(name string) (install.Package, error) {
		p, ok := b.Pins[name][b.target.npm]
		if !ok {
			return p, fmt.Errorf("assets/userland/npm.json has no %s for %s", name, b.target.npm)
		}
		return p, nil
	}
	node, err := pin("node")
	if err != nil {
		return nil, err
	}
	npm, err := pin("npm")
	if err != nil {
		return nil, err
	}
	archive, err := b.store.npmTar(ctx, node, b.Say)
	if err != nil {
		return nil, err
	}
	var text []byte
	err = entries(archive, func(e entry) error {
		if e.Name == "package/LICENSE" {
			text = e.data
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	licence, err := b.tree.licence("node", node.Version, text)
	if err != nil {
		return nil, err
	}
	err = b.tree.addNPM(archive, node.Name, func(p string) string {
		if p == "bin/node" {
			return "usr/bin/node"
		}
		return "" // headers and manuals
	})
	if err != nil {
		return nil, err
	}
	if err := b.stripNode(ctx, node); err != nil {
		return nil, err
	}
	b.report.version("node", node.Version)
	nested, err := b.npm(ctx, npm)
	return append(nested, licence), err
}

// npm brings npm and lists what it is made of.
func (b *builder) npm(ctx context.Context, p install.Package) ([]pack.Licence, error) {
	archive, err := b.store.npmTar(ctx, p, b.Say)
	if err != nil {
		return nil, err
	}
	home := nodeModules + "/npm"
	err = b.tree.addNPM(archive, p.Name, func(p string) string {
		if strings.HasPrefix(p, "docs/") || strings.HasPrefix(p, "man/") {
			return ""
		}
		return path.Join(home, p)
	})
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"npm", "npx"} {
		script := home + "/bin/" + name + "-cli.js"
		if b.tree[script] == nil {
			return nil, fmt.Errorf("npm has no %s", script)
		}
		if err := b.tree.ln("usr/bin/"+name, upTo("usr/bin", script)); err != nil {
			return nil, err
		}
	}
	nested, err := b.tree.nestedLicences(home)
	return append(nested, pack.Licence{Name: "npm", Version: p.Version, Path: b.tree.textIn(home, home+"/package.json")}), err
}

// stripNode takes the symbols of node's makers out of it: 18 MB that no program reads. What addons link to stays.
func (b *builder) stripNode(ctx context.Context, p install.Package) error {
	n := b.tree["usr/bin/node"]
	if n == nil {
		return fmt.Errorf("%s has no bin/node", p.Name)
	}
	version, err := exec.CommandContext(ctx, b.target.strip, "--version").Output()
	if err != nil {
		return toolError(b.target.strip, err, "")
	}
	key := sha256Hex([]byte(p.Integrity + "\n" + string(version))) // another binutils may give other bytes
	n.data, err = b.store.archive(ctx, key+".stripped", func(w io.Writer) error {
		work, err := os.MkdirTemp(filepath.Join(b.store.dir, "tars"), ".strip-")
		if err != nil {
			return diskError(b.store.dir, err)
		}
		defer func() { _ = os.RemoveAll(work) }() // inside the cache
		in, out := filepath.Join(work, "in"), filepath.Join(work, "out")
		if err := os.WriteFile(in, n.data, 0o600); err != nil {
			return diskError(in, err)
		}
		if said, err := exec.CommandContext(ctx, b.target.strip, "--strip-all", "-o", out, in).CombinedOutput(); err != nil {
			return toolError(b.target.strip, err, string(said))
		}
		f, err := os.Open(out)
		if err != nil {
			return diskError(out, err)
		}
		defer func() { _ = f.Close() }() // only read
		_, err = io.Copy(w, f)
		return err
	})
	return err
}

// engines brings both engines from the packages that the app itself is pinned to.
func (b *builder) engines(ctx context.Context) ([]pack.Licence, error) {
	var all []pack.Licence
	for _, id := range []string{"claude", "codex"} {
		e, p, err := b.Engines.For(id, b.target.npm)
		if err != nil {
			return nil, err
		}
		archive, err := b.store.npmTar(ctx, p.Package, b.Say)
		if err != nil {
			return nil, err
		}
		home := "opt/" + id
		var texts []string
		err = b.tree.addNPM(archive, p.Package.Name, func(f string) string {
			if name := strings.ToLower(f); strings.HasPrefix(name, "license") || strings.HasPrefix(name, "readme") || strings.HasPrefix(name, "notice") {
				texts = append(texts, licenceDir+"/"+id+"/"+f)
				return licenceDir + "/" + id + "/" + f
			}
			return engineFile(id, f, b.target)
		})
		if err != nil {
			return nil, err
		}
		if len(texts) == 0 {
			return nil, fmt.Errorf("the package %s has neither a licence nor a README", p.Package.Name)
		}
		for _, text := range texts {
			all = append(all, pack.Licence{Name: id, Version: e.Version, Path: text})
		}
		for _, program := range append([]string{p.Binary}, p.Companions...) {
			to := engineFile(id, program, b.target)
			if n := b.tree[to]; n == nil || n.mode&0o111 == 0 {
				return nil, fmt.Errorf("the package %s lacks the program %s", p.Package.Name, program)
			}
		}
		binary := engineFile(id, p.Binary, b.target)
		if err := b.tree.ln("usr/bin/"+id, upTo("usr/bin", binary)); err != nil {
			return nil, err
		}
		if id == "codex" {
			if err := b.tree.dir(home+"/codex-resources", "Keva"); err != nil { // it looks for the folder
				return nil, err
			}
		}
		b.report.version(id, e.Version)
	}
	return all, nil
}

// engineFile is where a file of an engine's package goes, or "". Codex's voice and bubblewrap are left out: an app has no
// sound server, and may not make namespaces.
func engineFile(id, f string, tg target) string {
	if id == "claude" {
		if f == "claude" {
			return "opt/claude/claude"
		}
		return ""
	}
	f, ok := strings.CutPrefix(f, "vendor/"+tg.musl+"/")
	if !ok || strings.HasPrefix(f, "codex-resources/") {
		return ""
	}
	return "opt/codex/" + f
}

// toolError says that a tool of the build is missing or failed.
func toolError(name string, err error, said string) error {
	return &event.Error{
		Class:   event.ClassConfig,
		Message: fmt.Sprintf("%s is missing or failed. Run `./setup.sh pack`, then `make pack` again.", name),
		Detail:  fmt.Sprintf("%v: %s", err, tail(said)),
	}
}
