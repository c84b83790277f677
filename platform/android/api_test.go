//go:build apktest

package android

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// later are calls that Android 9 does not have. Each is behind a look at the version; TestAndroid9 calls none of them.
var later = []string{
	"android/app/ActivityManager.getHistoricalProcessExitReasons",
	"android/app/ApplicationExitInfo.getDescription", "android/app/ApplicationExitInfo.getPid", "android/app/ApplicationExitInfo.getProcessName",
	"android/app/ApplicationExitInfo.getReason", "android/app/ApplicationExitInfo.getRss", "android/app/ApplicationExitInfo.getStatus",
	"android/app/ApplicationExitInfo.getTimestamp",
	"android/app/Notification$Action$Builder.setAuthenticationRequired",
	"android/app/Notification$Builder.setForegroundServiceBehavior",
}

// Every method and field that we name is in Android's published API, with this signature, and since Android 9 or on the
// list of those that are asked for first. A wrong letter would otherwise be an exception on the phone.
func TestCallsAreAndroids(t *testing.T) {
	api := loadAPI(t)
	members := append(goMembers(t), smaliMembers(t)...)
	slices.Sort(members)
	members = slices.Compact(members)
	if len(members) < 90 {
		t.Fatalf("only %d calls were found: the search is broken", len(members))
	}
	var newer []string
	for _, m := range members {
		class, name, sig := split(m)
		since, why := api.find(class, name, sig)
		if why != "" {
			t.Errorf("%s: %s", m, why)
		}
		if since > 28 {
			newer = append(newer, class+"."+name)
		}
	}
	if newer = slices.Compact(newer); !slices.Equal(newer, later) {
		t.Errorf("newer than Android 9 are\n%s\nknown are\n%s", strings.Join(newer, "\n"), strings.Join(later, "\n"))
	}
	t.Logf("%d calls held against Android's API", len(members))
}

// The check notices a wrong class, name, type, result, and a field that is none.
func TestCallsCheckNotices(t *testing.T) {
	api := loadAPI(t)
	for _, m := range []string{
		"android/os/PowerManage.newWakeLock(ILjava/lang/String;)Landroid/os/PowerManager$WakeLock;",
		"android/os/PowerManager.newWakelock(ILjava/lang/String;)Landroid/os/PowerManager$WakeLock;",
		"android/os/PowerManager.newWakeLock(ZLjava/lang/String;)Landroid/os/PowerManager$WakeLock;",
		"android/os/PowerManager.newWakeLock(Ljava/lang/String;)Landroid/os/PowerManager$WakeLock;",
		"android/os/PowerManager.newWakeLock(ILjava/lang/String;)Z",
		"android/os/Build.MODELL Ljava/lang/String;",
		"android/os/Build.MODEL I",
		"android/content/Intent.<init>(I)V",
	} {
		class, name, sig := split(m)
		if _, why := api.find(class, name, sig); why == "" {
			t.Errorf("%s passes", m)
		}
	}
	for _, m := range []string{"android/os/Build.MODEL Ljava/lang/String;", "android/os/PowerManager.newWakeLock(ILjava/lang/String;)Landroid/os/PowerManager$WakeLock;"} {
		class, name, sig := split(m)
		if _, why := api.find(class, name, sig); why != "" {
			t.Errorf("%s: %s", m, why)
		}
	}
}

// split is that of java.go, which is not part of this build.
func split(member string) (class, name, sig string) {
	at := strings.IndexAny(member, "( ")
	dot := strings.LastIndexByte(member[:at], '.')
	return member[:dot], member[dot+1 : at], strings.TrimPrefix(member[at:], " ")
}

var member = regexp.MustCompile(`^[a-z]\w*(?:/[\w$]+)+\.(?:<init>|\w+)(?:\([\w/$;\[]*\)\[*(?:L[\w/$]+;|\w)| \[*(?:L[\w/$]+;|\w))$`)

// goMembers are the constant strings of our Go files that name a member, as the compiler puts them together.
func goMembers(t *testing.T) []string {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") || p == "elsewhere.go" || strings.HasPrefix(p, "attach_") {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{FakeImportC: true, Importer: nowhere{}, Error: func(error) {}} // only constants are of interest
	_, _ = conf.Check("android", fset, files, info)
	var list []string
	for _, v := range info.Types {
		if v.Value != nil && v.Value.Kind() == constant.String {
			if s := constant.StringVal(v.Value); member.MatchString(s) {
				list = append(list, s)
			}
		}
	}
	return list
}

type nowhere struct{}

func (nowhere) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

func smaliMembers(t *testing.T) []string {
	t.Helper()
	var list []string
	files, err := filepath.Glob("smali/app/keva/*.smali")
	if err != nil || len(files) != 2 {
		t.Fatal("our Java classes are not there", err)
	}
	call := regexp.MustCompile(`invoke-\w+ \{[^}]*\}, L([\w/$]+);->([\w<>]+)(\([^\s]*)`)
	var super string
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		super = regexp.MustCompile(`\.super L([\w/$]+);`).FindStringSubmatch(string(text))[1]
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			class := m[1]
			switch {
			case !strings.HasPrefix(class, "app/keva/"):
			case m[2] == "tell" || m[2] == "deliver" || m[2] == "onTimeout": // ours
				continue
			default: // inherited
				class = super
			}
			list = append(list, class+"."+m[2]+m[3])
		}
	}
	return list
}
