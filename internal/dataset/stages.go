package dataset

import (
	"sync"
	"sync/atomic"
	"time"
)

// stages is where the workers' time goes, in ns over all of them.
type stages struct {
	decode, compute, write atomic.Int64
	files, bad             atomic.Int64
	bytesIn, bytesOut      atomic.Int64
	samples                atomic.Int64
}

// Stages are seconds of all workers together.
type Stages struct {
	Begin   float64 `json:"begin"`   // the output is opened, and what earlier runs finished is taken over: every worker waits
	Decode  float64 `json:"decode"`  // reading and decoding audio
	H2D     float64 `json:"h2d"`     // copying to the GPU
	Compute float64 `json:"compute"` // computing features
	D2H     float64 `json:"d2h"`     // copying to the host
	Write   float64 `json:"write"`   // writing the output
	Other   float64 `json:"other"`   // waiting for a turn, for files, for the scheduler
}

// lap is a stopwatch for stages that follow each other.
type lap struct{ at time.Time }

func startLap() lap { return lap{time.Now()} }

func (l *lap) to(counter *atomic.Int64) {
	now := time.Now()
	counter.Add(int64(now.Sub(l.at)))
	l.at = now
}

// Step is a stretch of the build: so many files took so long, and where the workers' time went.
type Step struct {
	Files   int64
	Seconds float64
	Decode  float64 // shares of Seconds, averaged over the workers
	Compute float64
	Write   float64
}

// steps cuts a build into stretches of as many files each.
type steps struct {
	mu    sync.Mutex
	every int64
	last  time.Time
	seen  [4]int64
	list  []Step
}

const mostSteps = 60

func newSteps(files int) *steps {
	return &steps{every: max(1, int64(files)/mostSteps), last: time.Now()}
}

// count ends a stretch when enough files are finished.
func (s *steps) count(st *stages, workers int) {
	if st.files.Load()%s.every != 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := [4]int64{st.files.Load(), st.decode.Load(), st.compute.Load(), st.write.Load()}
	files := now[0] - s.seen[0]
	if files < s.every {
		return
	}
	share := func(i int) float64 { return float64(now[i]-s.seen[i]) / 1e9 / float64(workers) }
	t := time.Now()
	s.list = append(s.list, Step{files, t.Sub(s.last).Seconds(), share(1), share(2), share(3)})
	s.last, s.seen = t, now
}
