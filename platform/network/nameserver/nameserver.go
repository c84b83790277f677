// Package nameserver answers DNS questions on loopback with the device's resolver, for programs of the userland that insist
// on DNS and can be told a port. Who uses the proxy for engines does not need it.
//
// It must never listen on anything but loopback and never ask anybody but the resolver it was given.
package nameserver

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/platform/network"
)

// Sizes of answers over UDP, in bytes.
const (
	plainUDP = 512  // RFC 1035, without EDNS
	maxUDP   = 1232 // what we say and take at most: more is fragmented on real networks
)

// Options say what the server works with.
type Options struct {
	Resolver network.Resolver
	Clock    func() time.Time
}

// Server is a running name server. Its methods may be called from any goroutine.
type Server struct {
	opt   Options
	udp   net.PacketConn
	tcp   net.Listener
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup
	slots chan struct{} // one for each question in work

	mu    sync.Mutex
	cache map[key]cached
	conns map[net.Conn]bool
	done  bool
}

// Start listens on a free port of 127.0.0.1, the same for UDP and TCP, until ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Server, error) {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	s := &Server{opt: o, cache: map[key]cached{}, conns: map[net.Conn]bool{}, slots: make(chan struct{}, budget.NamesAtOnce.Size)}
	var err error
	for range 10 { // the port that TCP got may be taken for UDP
		if s.tcp, err = net.Listen("tcp4", "127.0.0.1:0"); err != nil {
			break
		}
		if s.udp, err = net.ListenPacket("udp4", s.tcp.Addr().String()); err == nil {
			break
		}
		_ = s.tcp.Close()
	}
	if err != nil {
		return nil, &event.Error{
			Class:   event.ClassNetwork,
			Message: "Keva could not open its name server on this device. Programs that look names up by themselves will not find any; restart Keva.",
			Detail:  err.Error(),
		}
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.work.Go(s.packets)
	s.work.Go(s.streams)
	context.AfterFunc(ctx, s.Close)
	return s, nil
}

// Addr is where it listens, by UDP and TCP.
func (s *Server) Addr() string { return s.tcp.Addr().String() }

// Close ends it and waits for what is in work.
func (s *Server) Close() {
	s.stop()
	_, _ = s.udp.Close(), s.tcp.Close()
	s.mu.Lock()
	s.done = true
	for c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

func (s *Server) packets() {
	buf := make([]byte, 64<<10)
	for {
		n, from, err := s.udp.ReadFrom(buf)
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue // an error of an earlier answer, told late
		}
		packet := append([]byte(nil), buf[:n]...)
		select {
		case s.slots <- struct{}{}:
		default:
			continue // too many at once: the program asks again
		}
		s.work.Go(func() {
			defer func() { <-s.slots }()
			if reply := s.answer(packet, true); reply != nil {
				_, _ = s.udp.WriteTo(reply, from) // who asked may be gone
			}
		})
	}
}

func (s *Server) streams() {
	for {
		c, err := s.tcp.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		s.mu.Lock()
		if s.done || int64(len(s.conns)) >= budget.NamesAtOnce.Size {
			s.mu.Unlock()
			_ = c.Close()
			continue
		}
		s.conns[c] = true
		s.mu.Unlock()
		s.work.Go(func() {
			defer func() {
				_ = c.Close()
				s.mu.Lock()
				delete(s.conns, c)
				s.mu.Unlock()
			}()
			s.stream(c)
		})
	}
}

// stream serves one connection: length, message, as often as the program likes.
func (s *Server) stream(c net.Conn) {
	for {
		_ = c.SetDeadline(time.Now().Add(budget.NamesAnswer.Time))
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		packet := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, packet); err != nil {
			return
		}
		reply := s.answer(packet, false)
		if reply == nil {
			return // not a question: there is nothing to say
		}
		_ = c.SetDeadline(time.Now().Add(budget.NamesAnswer.Time))
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

// answer is the reply to a packet, nil when it deserves none. Whatever the packet holds, it does not panic (fuzzed).
func (s *Server) answer(packet []byte, udp bool) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(packet)
	if err != nil || h.Response {
		return nil // an answer to an answer could go on for ever
	}
	reply := dnsmessage.Message{Header: dnsmessage.Header{
		ID: h.ID, Response: true, OpCode: h.OpCode, RecursionDesired: h.RecursionDesired, RecursionAvailable: true,
	}}
	limit := 65535
	if udp {
		limit = plainUDP
	}
	refuse := func(code dnsmessage.RCode) []byte {
		reply.RCode = code
		return pack(reply, limit)
	}
	if h.OpCode != 0 {
		return refuse(dnsmessage.RCodeNotImplemented)
	}
	if h.Truncated {
		return refuse(dnsmessage.RCodeFormatError)
	}
	q, err := p.Question()
	if err != nil {
		return refuse(dnsmessage.RCodeFormatError)
	}
	if _, err := p.Question(); !errors.Is(err, dnsmessage.ErrSectionDone) {
		return refuse(dnsmessage.RCodeFormatError) // nobody answers several, and their answers can't be told apart
	}
	reply.Questions = []dnsmessage.Question{q}
	edns, code := options(&p)
	if edns > 0 {
		if udp {
			limit = max(plainUDP, min(edns, maxUDP))
		}
		var opt dnsmessage.ResourceHeader
		if err := opt.SetEDNS0(maxUDP, dnsmessage.RCodeSuccess, false); err == nil {
			reply.Additionals = append(reply.Additionals, dnsmessage.Resource{Header: opt, Body: &dnsmessage.OPTResource{}})
		}
	}
	if code != dnsmessage.RCodeSuccess {
		return refuse(code)
	}
	if q.Class != dnsmessage.ClassINET {
		return refuse(dnsmessage.RCodeRefused)
	}
	reply.Answers, reply.RCode = s.resolve(q)
	return pack(reply, limit)
}

// options looks for EDNS: the size that the asker takes, 0 without.
func options(p *dnsmessage.Parser) (int, dnsmessage.RCode) {
	if p.SkipAllAnswers() != nil || p.SkipAllAuthorities() != nil {
		return 0, dnsmessage.RCodeFormatError
	}
	size := 0
	for {
		h, err := p.AdditionalHeader()
		switch {
		case errors.Is(err, dnsmessage.ErrSectionDone):
			return size, dnsmessage.RCodeSuccess
		case err != nil:
			return size, dnsmessage.RCodeFormatError
		}
		if h.Type == dnsmessage.TypeOPT {
			if size > 0 {
				return size, dnsmessage.RCodeFormatError // RFC 6891: one at most
			}
			size = max(int(h.Class), plainUDP)
			if version := h.TTL >> 16 & 0xff; version != 0 {
				return size, dnsmessage.RCodeFormatError
			}
		}
		if p.SkipAdditional() != nil {
			return size, dnsmessage.RCodeFormatError
		}
	}
}

// pack makes the packet. One that is too long loses its answers and says so: then the program asks by TCP.
func pack(m dnsmessage.Message, limit int) []byte {
	out, err := m.Pack()
	if err == nil && len(out) <= limit {
		return out
	}
	m.Answers = nil
	if err == nil {
		m.Truncated = limit < 65535
	}
	if err != nil || !m.Truncated {
		m.RCode = dnsmessage.RCodeServerFailure
	}
	if out, err = m.Pack(); err != nil {
		return nil
	}
	return out
}
