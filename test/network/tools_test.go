package network

import (
	"os/exec"
	"strings"
	"testing"

	nt "keva/platform/network/networktest"
)

// tool is a program that engines run.
type tool struct {
	name, host string
	argv       []string
	says       string // in its output when it worked
}

func tools(t *testing.T) []tool {
	t.Helper()
	python := "/usr/bin/python3" // with the system's pip; one of a version manager may have none
	if exec.Command(python, "-m", "pip", "--version").Run() != nil {
		python = "python3"
		if exec.Command(python, "-m", "pip", "--version").Run() != nil {
			t.Fatal("pip is needed for this test: install python3-pip (./setup.sh test)")
		}
	}
	return []tool{
		{"curl", "api.keva.test", []string{"curl", "-sS", "-f", "https://api.keva.test/hello"}, "hello from api.keva.test"},
		{"git", "git.keva.test", []string{"git", "ls-remote", "https://git.keva.test/project.git"}, "refs/heads/main"},
		{"npm", "npm.keva.test", []string{"npm", "view", "keva-probe", "version", "--registry", "https://npm.keva.test/"}, "7.8.9"},
		{
			"pip", "pypi.keva.test",
			[]string{python, "-m", "pip", "download", "--retries", "0", "--timeout", "20", "--no-deps", "-i", "https://pypi.keva.test/simple/", "keva-probe"},
			"Saved ./keva_probe-7.8.9-py3-none-any.whl",
		},
	}
}

// Every tool behind every kind of proxy, with nothing but the exported environment: it works where the proxy does, fails
// where it does not, and never finds another way.
func TestTools(t *testing.T) {
	for _, kind := range nt.Kinds {
		for _, tool := range tools(t) {
			t.Run(string(kind)+"/"+tool.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t, kind, true)
				out, err := l.run(t, tool.argv...)
				if worked := err == nil && strings.Contains(out, tool.says); worked != kind.Works() {
					t.Errorf("worked: %v\n%v\n%s", worked, err, out)
				}
				l.check(t, tool.host)
			})
		}
	}
}

// An interceptor that nobody trusts stops every tool: certificates are checked.
func TestToolsDontTrustEverybody(t *testing.T) {
	for _, tool := range tools(t) {
		t.Run(tool.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, nt.Intercepting, false)
			if out, err := l.run(t, tool.argv...); err == nil {
				t.Error(out)
			}
			l.OnlyDialled(t, l.corp.Addr)
		})
	}
}

// Without the credential of the launch a tool gets nothing.
func TestToolWithoutCredential(t *testing.T) {
	l := newLab(t, nt.Open, true)
	for i, kv := range l.env {
		l.env[i] = strings.Replace(kv, l.launch.URL(), "http://keva:wrong@"+l.proxy.Addr(), 1)
	}
	if out, err := l.run(t, "curl", "-s", "-w", "%{http_connect}", "https://api.keva.test/hello"); err == nil || !strings.Contains(out, "407") {
		t.Error(out, err)
	}
	if d := l.Dials(); len(d) > 0 || l.proxy.Refused() == 0 {
		t.Error(d)
	}
}
