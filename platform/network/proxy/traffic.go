package proxy

import (
	"cmp"
	"net"
	"slices"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/platform/network"
)

// Traffic is what has passed between a launch and a host, or all hosts. Times are zero when nothing has.
type Traffic struct {
	In, Out         int64 // bytes from and to the network; of tunnels with what wraps the content
	LastIn, LastOut time.Time
	Open            int // connections
	// Waiting are open connections on which the engine spoke last: the nearest that can be seen to "a request is under way"
	// through encryption.
	Waiting   int
	LastError string // class of the last failure, "" when the last attempt succeeded
}

// flow is one tunnel or one plain request.
type flow struct {
	l    *Launch
	host string
	cut  func() // ends it at once

	mu              sync.Mutex
	in, out         int64
	lastIn, lastOut time.Time
	first           string // which side ended first: "network" or "program"
	how             error
}

// passed counts n bytes; the sums of the launch and of the host follow.
func (f *flow) passed(in bool, n int) {
	now := f.l.p.opt.Clock()
	f.mu.Lock()
	if in {
		f.in, f.lastIn = f.in+int64(n), now
	} else {
		f.out, f.lastOut = f.out+int64(n), now
	}
	f.mu.Unlock()
	f.l.mu.Lock()
	t := f.l.to(f.host)
	if in {
		t.In, t.LastIn = t.In+int64(n), now
	} else {
		t.Out, t.LastOut = t.Out+int64(n), now
	}
	f.l.mu.Unlock()
	f.l.p.mu.Lock()
	f.l.p.hosts.passed(f.host, f.l.label, in, n, now)
	f.l.p.mu.Unlock()
}

// last is when anything passed.
func (f *flow) last() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lastIn.After(f.lastOut) {
		return f.lastIn
	}
	return f.lastOut
}

func (f *flow) waiting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lastOut.After(f.lastIn)
}

// to is the sum for a host; l.mu is held. Beyond the budget hosts share one sum: an engine can ask for any number.
func (l *Launch) to(host string) *Traffic {
	t := l.traffic[host]
	if t == nil {
		if int64(len(l.traffic)) >= budget.ProxyHosts.Size {
			host = "others"
		}
		if t = l.traffic[host]; t == nil {
			t = &Traffic{}
			l.traffic[host] = t
		}
	}
	return t
}

// began notes a connection to host; false when the launch has ended meanwhile.
func (l *Launch) began(f *flow) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.tunnels[f] = true
	return true
}

func (l *Launch) ended(f *flow) {
	l.mu.Lock()
	delete(l.tunnels, f)
	l.mu.Unlock()
	l.p.changed()
}

// tried notes how an attempt to reach host went, nil for well.
func (l *Launch) tried(host string, fail *network.Failure) {
	class := ""
	if fail != nil {
		class = string(fail.Class)
	}
	l.mu.Lock()
	l.to(host).LastError = class
	l.mu.Unlock()
	l.p.mu.Lock()
	l.p.hosts.tried(host, l.label, network.Class(class), l.p.opt.Clock())
	l.p.mu.Unlock()
	l.p.changed()
}

// refused notes an attempt that was not made: it leaves the same trace as one that failed.
func (l *Launch) refused(host string, f *network.Failure) {
	l.policy.Refused(l.purpose(), f)
	l.tried(host, f)
}

// Traffic tells what has passed between the launch and the given hosts (names without a port); all when none is given. It
// is evidence for liveness where an engine talks to its provider directly.
func (l *Launch) Traffic(hosts ...string) Traffic {
	match := func(addr string) bool {
		host, _, err := net.SplitHostPort(addr)
		return len(hosts) == 0 || err == nil && slices.Contains(hosts, host)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var sum Traffic
	var spoke time.Time
	for host, t := range l.traffic {
		if !match(host) {
			continue
		}
		sum.In, sum.Out = sum.In+t.In, sum.Out+t.Out
		if t.LastIn.After(sum.LastIn) {
			sum.LastIn = t.LastIn
		}
		if t.LastOut.After(sum.LastOut) {
			sum.LastOut = t.LastOut
		}
		if t.LastError != "" && !t.LastOut.Before(spoke) {
			sum.LastError, spoke = t.LastError, t.LastOut
		}
	}
	for f := range l.tunnels {
		if match(f.host) {
			sum.Open++
			if f.waiting() {
				sum.Waiting++
			}
		}
	}
	return sum
}

// Host is one contacted host, as the user may see it.
type Host struct {
	Host     string // host:port
	By       string // label of the launch that contacted it last
	First    time.Time
	Last     time.Time // last byte or attempt
	Attempts int
	Failures int
	Failure  network.Class // of the last attempt, "" when it succeeded
	In, Out  int64
}

// hosts remembers the contacted hosts, the most recent ones.
type hosts struct {
	list map[string]*Host
	lost int // forgotten ones
}

func (h *hosts) at(host, by string, now time.Time) *Host {
	if h.list == nil {
		h.list = map[string]*Host{}
	}
	x := h.list[host]
	if x == nil {
		if int64(len(h.list)) >= budget.ProxyHosts.Size {
			var oldest *Host
			for _, y := range h.list {
				if oldest == nil || y.Last.Before(oldest.Last) {
					oldest = y
				}
			}
			delete(h.list, oldest.Host)
			h.lost++
		}
		x = &Host{Host: host, First: now}
		h.list[host] = x
	}
	x.By, x.Last = by, now
	return x
}

func (h *hosts) tried(host, by string, class network.Class, now time.Time) {
	x := h.at(host, by, now)
	x.Attempts++
	x.Failure = class
	if class != "" {
		x.Failures++
	}
}

func (h *hosts) passed(host, by string, in bool, n int, now time.Time) {
	x := h.at(host, by, now)
	if in {
		x.In += int64(n)
	} else {
		x.Out += int64(n)
	}
}

// Hosts are the contacted hosts, the latest first, and how many older ones were forgotten.
func (p *Proxy) Hosts() (list []Host, forgotten int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hosts.list {
		list = append(list, *h)
	}
	slices.SortFunc(list, func(a, b Host) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Host, b.Host))
	})
	return list, p.hosts.lost
}

// Refused is how many requests came without a credential.
func (p *Proxy) Refused() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

// Subscribe returns a channel that gets a value after a host was tried or a connection ended, and a function that ends it.
func (p *Proxy) Subscribe() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	p.mu.Lock()
	p.subs[ch] = true
	p.mu.Unlock()
	return ch, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.subs[ch] {
			delete(p.subs, ch)
			close(ch)
		}
	}
}

func (p *Proxy) changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ch := range p.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
