package network_test

import (
	"strings"
	"testing"

	"keva/agent/doctor"
	"keva/platform/network"
	nt "keva/platform/network/networktest"
)

// The doctor says of each part whether it works, and does not call unknown what is broken or fine what was not looked at.
func TestChecks(t *testing.T) {
	for _, c := range []struct {
		kind nt.Kind
		set  func(*lab) network.Setting
		want string // policy, online, name, connection
	}{
		{nt.Open, func(l *lab) network.Setting { return network.Setting{CABundle: l.origin.Path} }, "ok unknown ok ok"},
		{nt.Open, func(l *lab) network.Setting { return network.Setting{} }, "ok unknown ok failed"},
		{nt.Open, func(l *lab) network.Setting {
			return network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: l.origin.Path}
		}, "ok unknown absent ok"},
		{nt.Intercepting, func(l *lab) network.Setting {
			return network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: l.theirs.Path}
		}, "ok unknown absent ok"},
		{nt.WrongAuth, func(l *lab) network.Setting { return network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL} }, "ok unknown absent failed"},
		{nt.Open, func(l *lab) network.Setting { return network.Setting{Mode: network.Proxied, Proxy: "socks5://x:1"} }, "failed warning unknown unknown failed"},
		{nt.Open, func(l *lab) network.Setting { return network.Setting{CABundle: "/none"} }, "ok warning unknown ok failed"},
	} {
		l := newLab(t, c.kind, hello)
		p := l.with(c.set(l))
		var got []string
		for _, f := range doctor.Run(t.Context(), p.Checks("api.keva.test")) {
			got = append(got, string(f.State))
			if f.Says == "" || strings.Contains(f.Detail+f.Says, "wrong-password") {
				t.Errorf("%+v", f)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.kind, got, c.want)
		}
	}
	l := newLab(t, "", hello)
	p := l.with(network.Setting{})
	list := doctor.Run(t.Context(), p.Checks("nowhere.keva.test"))
	if list[2].State != doctor.Failed || list[3].State != doctor.Failed {
		t.Errorf("%+v", list)
	}
}
