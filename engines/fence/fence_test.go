package fence

import (
	"os"
	"path/filepath"
	"testing"
)

// A project must not be able to put its own git, ps or rg in the engine's way, by whatever name its folder is on PATH.
func TestPath(t *testing.T) {
	root := t.TempDir()
	project := filepath.Join(root, "project")
	if err := os.MkdirAll(filepath.Join(project, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	hidden := filepath.Join(root, "tools") // looks harmless, leads into the project
	if err := os.Symlink(filepath.Join(project, "bin"), hidden); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	for name, c := range map[string]struct{ path, dir, want string }{
		"kept":                  {"/usr/bin:/bin", project, "/usr/bin:/bin"},
		"relative":              {"node_modules/.bin:/bin:.:", project, "/bin"},
		"empty entries":         {":/bin::", project, "/bin"},
		"inside":                {project + "/bin:/bin:" + project, project, "/bin"},
		"not clean":             {"/bin/../" + project + "/bin:/bin", project, "/bin"},
		"a name that begins so": {project + "-tools/bin:/bin", project, project + "-tools/bin:/bin"},
		"dots in a name":        {project + "/..tools:/bin", project, "/bin"},
		"linked project":        {project + "/bin:/bin", link, "/bin"},
		"by the link":           {link + "/bin:/bin", project, "/bin"},
		"a link into it":        {hidden + ":/bin", project, "/bin"},
		"the home itself":       {home + "/bin:/bin:x", home, home + "/bin:/bin"},
		"the whole disk":        {home + "/bin:/bin:x", "/", home + "/bin:/bin"},
		"a project in the home": {home + "/p/bin:" + home + "/bin:/bin", home + "/p", home + "/bin:/bin"},
		"no project":            {"/bin:x", "", "/bin"},
	} {
		if got := Path(c.path, c.dir, home); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
