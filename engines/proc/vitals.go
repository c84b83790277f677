package proc

import "time"

// Vitals tells how much CPU time the process and its descendants have used, and how many descendants live. It looks at
// all processes, which takes some milliseconds on a desktop; every two seconds is meant. ok is false when the process is
// gone or can't be looked at; then nothing is known.
//
// The time never falls, so that growth always means work.
func (p *Process) Vitals() (cpu time.Duration, children int, ok bool) {
	select {
	case <-p.reaped:
		return 0, 0, false
	default:
	}
	here, err := p.kin.look()
	if err != nil {
		return 0, 0, false
	}
	for _, id := range here {
		switch {
		case id.pid == p.id.pid:
			ok = true
		case !id.dead:
			children++
		}
	}
	if !ok {
		return 0, 0, false
	}
	return p.kin.cpu(), children, true
}

// count adds up the CPU time of those who are here. The time of a child that was waited for is in its parent's; that of
// one whose parent was gone vanishes from the sum, and is kept here instead. mu is held.
func (k *kin) count(here []identity) {
	var sum uint64
	for _, id := range here {
		sum += id.ticks
	}
	if sum < k.ticks {
		k.lost += k.ticks - sum
	}
	k.ticks = sum
}

func (k *kin) cpu() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return time.Duration(k.lost+k.ticks) * tick
}
