package network

import (
	"net/url"

	"keva/agent/event"
)

// certificateVariables name a file of trusted certificates to the programs that engines run. All but NODE_EXTRA_CA_CERTS
// replace the system's, so the file must hold those too (Bundle).
var certificateVariables = []string{
	"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "CODEX_CA_CERTIFICATE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
	"PIP_CERT", "CARGO_HTTP_CAINFO", "npm_config_cafile",
}

// Env is the policy as an engine's environment.
//
// With proxyURL, that of Keva's proxy for engines, everything but loopback goes there, and the proxy decides by the policy:
// the programs' own readings of NO_PROXY differ, and on Android they can't find names. With "" it is the policy itself; a
// policy that can't work is an error then, since a program without variables would go direct.
//
// caBundle is a file from Bundle, "" = none.
func (s *Snapshot) Env(proxyURL, caBundle string) ([]string, error) {
	var env []string
	set := func(value string, names ...string) {
		for _, n := range names {
			env = append(env, n+"="+value)
		}
	}
	switch {
	case proxyURL != "":
		set(proxyURL, "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
		set(Loopback, "NO_PROXY", "no_proxy")
		set("1", "NODE_USE_ENV_PROXY")
	case s.https.err != nil:
		return nil, s.https.err
	case s.http.err != nil:
		return nil, s.http.err
	default:
		text := func(u *url.URL) string {
			if u == nil {
				return ""
			}
			return u.String()
		}
		if s.https.proxy != nil {
			set(text(s.https.proxy), "HTTPS_PROXY", "https_proxy")
		}
		if s.http.proxy != nil {
			set(text(s.http.proxy), "HTTP_PROXY", "http_proxy")
		}
		if s.https.proxy != nil && s.http.proxy != nil && text(s.https.proxy) == text(s.http.proxy) {
			set(text(s.https.proxy), "ALL_PROXY", "all_proxy")
		}
		set(s.noProxy, "NO_PROXY", "no_proxy")
		set("1", "NODE_USE_ENV_PROXY")
	}
	if caBundle != "" {
		set(caBundle, certificateVariables...)
	}
	return env, nil
}

// Changed is what to tell of an engine that was started under policy `then` when the policy is `now`; false when it is the
// same. Nothing of a running engine changes: it would be under two policies at once.
func Changed(then, now *Snapshot) (event.Notice, bool) {
	if then == nil || now == nil || then.print == now.print {
		return event.Notice{}, false
	}
	return event.Notice{
		Level: event.LevelInfo,
		Text:  "The network settings have changed. This engine keeps the old ones until it is started anew; Keva itself uses the new ones already.",
	}, true
}
