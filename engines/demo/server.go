// Package demo is a scripted model provider on loopback. It speaks both protocols that the engines use, Anthropic Messages
// and OpenAI Responses, so that the real engines can be shown and tested without an account or a network. What it says is
// data (assets/demo/scripts) that reacts to what the tools returned.
//
// It must never listen on anything but loopback, never answer without the credential of its launch, never open a
// connection, and never keep a conversation: each request carries its own history, so a resume, a retry and a restart of
// the server go on where the conversation is.
package demo

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/assets"
)

// ModelClaude and ModelCodex are the model names to launch the engines with. The CLI takes any name; Codex knows the tools
// of a model by its name, so there it is a real one.
const (
	ModelClaude = "keva-demo"
	ModelCodex  = "gpt-6.2-sol"
)

// Options says how to serve. The zero value is the built-in demo.
type Options struct {
	Scripts fs.FS         // with scripts/*.json; nil: the built-in ones
	Listen  string        // loopback address; "": 127.0.0.1 and a free port
	Pace    time.Duration // wait before each piece of text, so that an answer looks alive; 0: none
	MaxBody int64         // bytes of a request; 0: 64 MiB
}

// Server is a running provider. Its methods may be called from any goroutine.
type Server struct {
	scripts map[string]*Script
	names   []string
	pace    time.Duration
	maxBody int64
	key     string
	keyHash [sha256.Size]byte
	salt    string
	addr    string
	http    *http.Server
	cancel  context.CancelFunc
	served  chan struct{}
	handler sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	counter  int
	injected []*injected
	faults   map[string]int
	log      requestLog
}

// Start serves until ctx ends or Close is called.
func Start(ctx context.Context, opt Options) (*Server, error) {
	s, err := newServer(opt)
	if err != nil {
		return nil, err
	}
	listen := opt.Listen
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	if err := loopbackOnly(listen); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, &event.Error{Class: event.ClassNetwork, Message: "The demo could not start its model provider on this device. Close other programs that use the network, or restart the device.", Detail: err.Error()}
	}
	s.addr = listener.Addr().String()
	ctx, s.cancel = context.WithCancel(ctx)
	s.http = &http.Server{
		Handler:           s,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: budget.DemoHeader.Time,
	}
	s.served = make(chan struct{})
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // ends with Close, and only so
	}()
	go func() {
		<-ctx.Done()
		_ = s.http.Close() // what the listener says while it is closed is of no use to anybody
	}()
	return s, nil
}

func newServer(opt Options) (*Server, error) {
	scripts := opt.Scripts
	if scripts == nil {
		built, err := fs.Sub(assets.Demo, "demo")
		if err != nil {
			return nil, err
		}
		scripts = built
	}
	loaded, err := loadScripts(scripts)
	if err != nil {
		return nil, &event.Error{Class: event.ClassOther, Message: "The demo's scripts can't be used. Please reinstall the app.", Detail: err.Error()}
	}
	if loaded[fallback] == nil {
		return nil, &event.Error{Class: event.ClassOther, Message: "The demo's scripts can't be used. Please reinstall the app.", Detail: "no script is named " + fallback}
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	s := &Server{
		scripts: loaded, names: scriptNames(loaded), pace: opt.Pace, maxBody: opt.MaxBody,
		key: "demo-" + hex.EncodeToString(secret[:20]), salt: hex.EncodeToString(secret[20:22]), faults: map[string]int{},
	}
	s.keyHash = sha256.Sum256([]byte(s.key))
	if s.maxBody <= 0 {
		s.maxBody = budget.DemoBody.Size
	}
	return s, nil
}

func loopbackOnly(listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return fmt.Errorf("the demo's address %q: %w", listen, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("the demo serves loopback only, not %q", listen)
	}
	return nil
}

// AnthropicBase is the value for ANTHROPIC_BASE_URL.
func (s *Server) AnthropicBase() string { return "http://" + s.addr }

// OpenAIBase is the base_url of a Codex provider.
func (s *Server) OpenAIBase() string { return "http://" + s.addr + "/v1" }

// Key is the credential of this launch. It is worth nothing elsewhere, but it opens the provider: don't log it.
func (s *Server) Key() string { return s.key }

// Close stops serving, breaks what is running and waits for it.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	err := s.http.Close()
	<-s.served
	s.handler.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// enter counts a request in, unless the server closes.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handler.Add(1)
	return true
}

// nonce makes the ids of one launch differ from each other and from those of other launches.
func (s *Server) nonce() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counter++
	return s.salt + strconv.FormatInt(int64(s.counter), 36)
}

// allowed compares the credential in constant time.
func (s *Server) allowed(r *http.Request) bool {
	given := r.Header.Get("x-api-key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && given == "" {
		given = bearer
	}
	hash := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(hash[:], s.keyHash[:]) == 1
}
