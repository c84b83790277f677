package network

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"

	"keva/agent/event"
)

// Class is the kind of a failed attempt.
type Class string

// The classes.
const (
	ClassDNS           Class = "dns"            // a name is not known
	ClassConnect       Class = "connect"        // nobody answered, or the connection was cut
	ClassProxyRefused  Class = "proxy_refused"  // the proxy can't be reached, or would not connect
	ClassProxyAuth     Class = "proxy_auth"     // the proxy wants other credentials
	ClassTLS           Class = "tls"            // the other side is not trusted, or the way is not protected
	ClassHTTPStatus    Class = "http_status"    // an answer, but not a good one
	ClassTimeout       Class = "timeout"        // no answer in time
	ClassCaptivePortal Class = "captive_portal" // the network answers itself and wants a sign-in
	ClassOffline       Class = "offline"        // there is no network
	ClassUnsupported   Class = "unsupported"    // a kind of proxy that Keva can't use
	ClassConfig        Class = "config"         // a proxy setting that can't work, or that is not known
	ClassForbidden     Class = "forbidden"      // Keva's proxy does not go there
	ClassCancelled     Class = "cancelled"      // whoever asked does not want it any more
	ClassOther         Class = "other"          // has a detail but no kind
)

// Failure is why an attempt failed. No field holds a credential, a path or a query.
type Failure struct {
	Class  Class
	Host   string // host:port that was wanted
	Via    string // host:port of the proxy, "" = direct
	Status int    // HTTP status, 0 when there was none
	Detail string // for the log

	said  string // a sentence of its own, "" = that of the class
	cause error
}

// Error is the sentence for the user.
func (f *Failure) Error() string { return f.Sentence() }

// Unwrap is the cause, as far as there is one.
func (f *Failure) Unwrap() error { return f.cause }

// Event is the failure as the rest of the app takes it.
func (f *Failure) Event() *event.Error {
	class := event.ClassNetwork
	if f.Class == ClassConfig || f.Class == ClassUnsupported {
		class = event.ClassConfig
	}
	return &event.Error{Class: class, Message: f.Sentence(), Detail: string(f.Class) + ": " + f.Detail, Status: f.Status}
}

// Sentence says what happened and what to do.
func (f *Failure) Sentence() string {
	if f.said != "" {
		return f.said
	}
	host, proxy := f.Host, "the proxy "+f.Via
	if host == "" {
		host = "the server"
	}
	status := ""
	if f.Status != 0 {
		status = " (HTTP " + strconv.Itoa(f.Status) + ")"
	}
	switch f.Class {
	case ClassDNS:
		return "The name of " + host + " could not be found. Check the address and the network."
	case ClassConnect:
		return "No connection to " + host + ": nobody answered, or it was cut. Check the network, then try again."
	case ClassProxyRefused:
		return "No connection through " + proxy + status + ". Check that it runs and lets you through, or change the proxy in Settings. Keva does not go around it."
	case ClassProxyAuth:
		return "The " + strings.TrimPrefix(proxy, "the ") + " wants another user name or password. Correct them where the proxy is set."
	case ClassTLS:
		return "The connection to " + host + " is not trusted. If a proxy of your network looks into connections, add its certificate in Settings."
	case ClassHTTPStatus:
		return host + " answered with an error" + status + "."
	case ClassTimeout:
		if f.Via != "" {
			return "There was no answer through " + proxy + " in time. Check the network and the proxy, then try again."
		}
		return "There was no answer from " + host + " in time. Check the network, then try again."
	case ClassCaptivePortal:
		return "This network wants you to sign in first. Open the browser, sign in, then try again."
	case ClassOffline:
		return "This device has no network. Connect it, then try again."
	case ClassForbidden:
		return "Keva's proxy does not connect to this device itself. Reach local servers directly."
	case ClassCancelled:
		return "It was cancelled."
	case ClassUnsupported, ClassConfig, ClassOther:
	}
	return "The connection to " + host + " failed: " + f.Detail
}

// attempt is what is known of one while it runs.
type attempt struct {
	host    string
	proxy   *url.URL // nil = direct
	connect bool     // it failed before a connection was there
}

// failure classifies err. A Failure stays what it is.
func (a attempt) failure(err error, online func() Online) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		c := *f
		if c.Host == "" {
			c.Host = a.host
		}
		return &c
	}
	f = &Failure{Host: a.host, Class: a.classify(err), Detail: a.detail(err), cause: err}
	if a.proxy != nil {
		f.Via = a.proxy.Host
	}
	if (f.Class == ClassDNS || f.Class == ClassConnect || f.Class == ClassProxyRefused || f.Class == ClassTimeout) && online() == Offline {
		f.Class = ClassOffline
	}
	return f
}

func (a attempt) classify(err error) Class {
	var dns *net.DNSError
	var op *net.OpError
	var ne net.Error
	toProxy := a.proxy != nil && (a.connect || errors.As(err, &op) && op.Op == "proxyconnect")
	switch {
	case errors.Is(err, context.Canceled):
		return ClassCancelled
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.ENETDOWN):
		return ClassOffline
	case isTLS(err):
		return ClassTLS
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &ne) && ne.Timeout():
		return ClassTimeout
	case toProxy: // also when its name is not known: what can't be reached is the proxy
		return ClassProxyRefused
	case errors.As(err, &dns):
		return ClassDNS
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &op),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, syscall.ECONNREFUSED),
		strings.Contains(err.Error(), "http2: "), strings.Contains(err.Error(), "server closed idle connection"):
		return ClassConnect
	}
	return ClassOther
}

func isTLS(err error) bool {
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &unknown) ||
		errors.As(err, &name) || errors.As(err, &invalid) || strings.Contains(err.Error(), "tls: ") ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// detail is err without the address that was asked, which may hold a key, and without the proxy's credentials.
func (a attempt) detail(err error) string {
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	if a.proxy != nil {
		for _, secret := range secrets(a.proxy) {
			text = strings.ReplaceAll(text, secret, "•••")
		}
	}
	return text
}

// secrets are the credentials of a proxy, in the forms in which they may be written.
func secrets(u *url.URL) []string {
	if u == nil || u.User == nil {
		return nil
	}
	list := []string{u.User.String(), basic(u)}
	if p, ok := u.User.Password(); ok && p != "" {
		list = append(list, p)
	}
	return list
}
