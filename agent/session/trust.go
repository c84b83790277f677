package session

import "keva/agent/trust"

// Trust is what the session's project would run or allow by itself, as it is now, and what of it the next start of the
// engine turns on. An engine that runs keeps what it was started with: after a new consent, or the end of one, stop it.
// It reads files: not for the drawing goroutine.
func (s *Session) Trust() (granted []trust.Entry, report trust.Report) {
	s.mu.Lock()
	dir := s.meta.Dir
	s.mu.Unlock()
	return s.svc.deps.Trust(dir)
}
