package apk

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func (a *APK) checkManifest() []string {
	badging, err := output("aapt2", "dump", "badging", a.Path)
	if err != nil {
		return []string{err.Error()}
	}
	tree, err := output("aapt2", "dump", "xmltree", "--file", "AndroidManifest.xml", a.Path)
	if err != nil {
		return []string{err.Error()}
	}
	abi, err := a.ABI()
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	w := a.want
	for what, want := range map[string]string{
		"package":            "package: name='" + w.Package + "'",
		"oldest Android":     "\nsdkVersion:'" + w.MinSDK + "'",
		"target":             "\ntargetSdkVersion:'" + w.Target + "'",
		"name":               "\napplication-label:'" + w.Label + "'",
		"icon":               "icon='res/",
		"activity to launch": "\nlaunchable-activity: name='" + w.Activity + "'",
		"architecture":       "\nnative-code: '" + abi + "'\n",
	} {
		if !strings.Contains(badging, want) {
			bad = append(bad, fmt.Sprintf("%s: there is no %q", what, strings.TrimSpace(want)))
		}
	}
	if strings.Contains(badging, "application-debuggable") {
		bad = append(bad, "it can be debugged")
	}
	app := element(tree, "application")
	for name, want := range map[string]string{"allowBackup": "false", "extractNativeLibs": "true", "debuggable": "false"} {
		if got := attribute(app, name); got != want {
			bad = append(bad, fmt.Sprintf("application: %s is %q, not %s", name, got, want))
		}
	}
	activity := element(tree, "activity")
	if got := attribute(activity, "configChanges"); got != w.ConfigChanges {
		bad = append(bad, fmt.Sprintf("configChanges is %s, not %s: the activity is made anew where it must not be", got, w.ConfigChanges))
	}
	for kind, want := range map[string]string{"service": w.Service, "receiver": w.Receiver} {
		if n := strings.Count(tree, "E: "+kind+" "); n != 1 {
			bad = append(bad, fmt.Sprintf("there are %d of the kind %s, not one", n, kind))
		}
		e := element(tree, kind)
		if got := attribute(e, "name"); got != want {
			bad = append(bad, fmt.Sprintf("%s: it is %q, not %s", kind, got, want))
		}
		if got := attribute(e, "exported"); got != "false" {
			bad = append(bad, kind+": other apps may reach it")
		}
	}
	if !strings.Contains(tree, "\n") || strings.Contains(tree, "E: provider ") {
		bad = append(bad, "there is a provider that nobody asked for")
	}
	return bad
}

func (a *APK) checkPermissions() []string {
	out, err := output("aapt2", "dump", "permissions", a.Path)
	if err != nil {
		return []string{err.Error()}
	}
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^(?:uses-)?permission[\w-]*: (?:name=)?'?([^'\s]+)`).FindAllStringSubmatch(out, -1) {
		got = append(got, m[1])
	}
	slices.Sort(got)
	if slices.Equal(got, a.want.Permissions) {
		return nil
	}
	return []string{fmt.Sprintf("it asks for %v, not for %v", got, a.want.Permissions)}
}

// element is the text of the first element of this kind, with its attributes and without its children.
func element(tree, kind string) string {
	_, after, ok := strings.Cut(tree, "E: "+kind+" ")
	if !ok {
		return ""
	}
	own, _, _ := strings.Cut(after, "E: ")
	return own
}

// attribute is a value as aapt2 writes it, "" if it is not there.
func attribute(element, name string) string {
	m := regexp.MustCompile(`:` + name + `\(0x[0-9a-f]+\)=(?:"([^"]*)"|(\S+))`).FindStringSubmatch(element)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}
