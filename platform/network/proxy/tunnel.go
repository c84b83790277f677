package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"keva/platform/network"
)

// connect serves CONNECT: bytes both ways, untouched.
func (p *Proxy) connect(w http.ResponseWriter, r *http.Request, l *Launch) {
	host := r.Host
	if f := p.target(host); f != nil {
		l.refused(host, f)
		answer(w, f)
		return
	}
	up, err := l.policy.Dial(r.Context(), l.purpose(), host, p.opt.Allow)
	var f *network.Failure
	if errors.As(err, &f) {
		l.tried(host, f)
		answer(w, f)
		return
	}
	l.tried(host, nil)
	hijacker, ok := w.(http.Hijacker)
	if !ok { // HTTP/2, which is not offered
		_ = up.Close()
		refuse(w, http.StatusInternalServerError, "This connection can't carry a tunnel.")
		return
	}
	down, buffered, err := hijacker.Hijack()
	if err != nil {
		_ = up.Close()
		return
	}
	_ = down.SetDeadline(time.Time{}) // the server's own deadlines are over
	var once sync.Once
	began := p.opt.Clock()
	fl := &flow{l: l, host: host, lastOut: began}
	fl.cut = func() { once.Do(func() { _, _ = down.Close(), up.Close() }) }
	defer fl.cut()
	p.mu.Lock()
	closed := p.closed
	if !closed {
		p.carry.Add(1)
	}
	p.mu.Unlock()
	if closed {
		return
	}
	defer p.carry.Done()
	if !l.began(fl) {
		return
	}
	defer l.ended(fl)
	if _, err := io.WriteString(down, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { fl.pipe(up, early(down, buffered.Reader), false) })
	both.Go(func() { fl.pipe(down, up, true) })
	both.Wait()
	if why := fl.lost(); why != "" {
		l.tried(host, l.policy.Lost(l.purpose(), host, began, why))
	}
}

// purpose is what the ledger files the launch's attempts under.
func (l *Launch) purpose() string { return "engine: " + l.label }

// early gives first what the server has already read of a connection.
func early(c net.Conn, r *bufio.Reader) net.Conn {
	if r.Buffered() == 0 {
		return c
	}
	return &buffered{c, r}
}

type buffered struct {
	net.Conn
	r *bufio.Reader
}

func (b *buffered) Read(p []byte) (int, error) {
	if b.r.Buffered() > 0 {
		return b.r.Read(p[:min(len(p), b.r.Buffered())])
	}
	return b.Conn.Read(p)
}

// pipe copies one direction. At its end the other side learns of it and may go on in its own direction; when it breaks,
// both end: a half that looks finished would be believed. What the reader does not take is not read either.
func (f *flow) pipe(dst, src net.Conn, in bool) {
	buf := make([]byte, 32<<10)
	for {
		_ = src.SetReadDeadline(time.Now().Add(f.l.p.opt.Idle))
		n, err := src.Read(buf)
		if n > 0 {
			f.passed(in, n)
			if _, err := dst.Write(buf[:n]); err != nil {
				f.over(!in, err) // it is the other side that broke
				f.abort(dst, src)
				return
			}
		}
		switch {
		case err == nil:
		case err == io.EOF:
			f.over(in, err)
			if half, ok := dst.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
				f.cut()
			}
			return
		case errors.Is(err, os.ErrDeadlineExceeded) && f.l.p.opt.Clock().Sub(f.last()) < f.l.p.opt.Idle:
			// the other direction is alive
		default:
			f.over(in, err)
			f.abort(dst, src)
			return
		}
	}
}

// over notes which side ended first, and how.
func (f *flow) over(network bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == "" && err != nil {
		f.first, f.how = map[bool]string{true: "network", false: "program"}[network], err
	}
}

// lost says why the tunnel counts as failed: the network's side broke, or ended before it said a word. "" when it does not.
func (f *flow) lost() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.first != "network" || errors.Is(f.how, net.ErrClosed) || errors.Is(f.how, os.ErrDeadlineExceeded):
		return "" // the program or Keva ended it
	case f.how != io.EOF:
		return "the connection broke: " + f.how.Error()
	case f.in == 0 && f.out > 0:
		return "the connection was closed without an answer"
	}
	return ""
}

// abort ends both sides so that they see a cut and not an end.
func (f *flow) abort(conns ...net.Conn) {
	for _, c := range conns {
		if b, ok := c.(*buffered); ok {
			c = b.Conn
		}
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
	}
	f.cut()
}
