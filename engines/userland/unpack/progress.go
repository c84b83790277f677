package unpack

import (
	"sync"
	"time"
)

// Stage is what an installation does.
type Stage string

// The stages, in this order. Checking has much to do only after an installation that was killed.
const (
	Checking  Stage = "checking"
	Unpacking Stage = "unpacking"
	Saving    Stage = "saving" // what was written gets to the disk; nobody knows how far that is
	Done      Stage = "done"
)

// Progress is how far an installation is. Bytes are those of the files, whether they were unpacked now or earlier.
type Progress struct {
	Stage Stage
	Done  int64
	Total int64
	Rate  float64       // bytes per second of the last seconds; 0 if not known yet
	Left  time.Duration // for this stage; -1 if not known yet
}

const (
	tellEvery  = 100 * time.Millisecond
	rateWindow = 3 * time.Second
)

// meter tells how far an installation is, not more often than tellEvery.
type meter struct {
	tell func(Progress)
	now  func() time.Time

	mu     sync.Mutex
	at     Stage
	done   int64
	total  int64
	last   time.Time // told
	points []point   // of this stage, at most rateWindow old but for the first
}

type point struct {
	at   time.Time
	done int64
}

func newMeter(o Options, total int64) *meter {
	return &meter{tell: o.Progress, now: o.now, total: total}
}

// stage begins the next one with what is done already.
func (m *meter) stage(s Stage) *meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.done = s, 0
	m.points = nil
	m.say(m.now())
	return m
}

// start says what of a stage was done before it began: it counts as done, not for the rate.
func (m *meter) start(done int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done = done
	m.points = []point{{m.now(), done}}
	m.say(m.now())
}

// add counts bytes. It is safe for concurrent use.
func (m *meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done += n
	now := m.now()
	if len(m.points) == 0 {
		m.points = append(m.points, point{now, m.done - n})
	}
	if now.Sub(m.last) < tellEvery {
		return
	}
	m.points = append(m.points, point{now, m.done})
	for len(m.points) > 2 && now.Sub(m.points[1].at) > rateWindow {
		m.points = m.points[1:]
	}
	m.say(now)
}

// finish says that all is done.
func (m *meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at, m.done = Done, m.total
	m.say(m.now())
}

// say calls the callback under the lock: one call at a time, in order.
func (m *meter) say(now time.Time) {
	m.last = now
	if m.tell == nil {
		return
	}
	p := Progress{Stage: m.at, Done: m.done, Total: m.total, Left: -1}
	if n := len(m.points); n > 1 {
		first := m.points[0]
		if took := now.Sub(first.at).Seconds(); took > 0 && m.done > first.done {
			p.Rate = float64(m.done-first.done) / took
			p.Left = time.Duration(float64(m.total-m.done) / p.Rate * float64(time.Second))
		}
	}
	if m.at == Done {
		p.Left = 0
	}
	m.tell(p)
}
