package shard

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// model is a cluster in simulated time: the workers run this package's code, only time, store and deaths are made up.
type model struct {
	workers, shards int
	shard           time.Duration // what a shard takes, in the mean
	life            time.Duration // of a worker, in the mean
	restart         time.Duration // until a dead worker is there again
	slow            float64       // share of workers that take four times as long
	errors, lost    float64       // shares of requests and of replies
	perShard        bool          // the engine hands out one shard at a time; else worker i of N has every N-th
	takeOver        bool          // who has finished its own shards takes over others'
}

// memory is a store in memory whose requests take time, fail, and lose replies.
type memory struct {
	model
	scratch  string
	mu       sync.Mutex
	files    map[string][]byte
	accepted map[string]int
	requests atomic.Int64
	last     time.Time // when something was published
}

func (m *memory) Place() string { return "memory" }

// request asks until there is a reply. What was asked for is done even if the reply is lost.
func (m *memory) request(ctx context.Context, do func()) error {
	for try := 0; ; try++ {
		m.requests.Add(1)
		select {
		case <-time.After(20*time.Millisecond + rand.N(40*time.Millisecond)):
		case <-ctx.Done():
			return ctx.Err()
		}
		x := rand.Float64()
		if x >= m.errors {
			m.mu.Lock()
			do()
			m.mu.Unlock()
		}
		if x >= m.errors+m.lost {
			return nil
		}
		if !pause(ctx, try) {
			return ctx.Err()
		}
	}
}

func (m *memory) Stat(ctx context.Context, name string) (info Info, err error) {
	e := m.request(ctx, func() {
		data, ok := m.files[name]
		if info, err = (Info{Name: name, Bytes: int64(len(data)), SHA256: "known"}), nil; !ok {
			err = fs.ErrNotExist
		}
	})
	if e != nil {
		return info, e
	}
	return info, err
}

func (m *memory) Read(ctx context.Context, name string, at, length int64) (io.ReadCloser, error) {
	var data []byte
	ok := false
	if err := m.request(ctx, func() { data, ok = m.files[name] }); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	if length < 0 {
		length = int64(len(data)) - at
	}
	return io.NopCloser(bytes.NewReader(data[at : at+length])), nil
}

func (m *memory) Part(ctx context.Context, known Info, at, length int64) (io.ReadCloser, error) {
	return m.Read(ctx, known.Name, at, length)
}

func (m *memory) List(ctx context.Context, folder string, each func(Info) error) error {
	var found []Info
	err := m.request(ctx, func() {
		found = found[:0]
		for name, data := range m.files {
			if strings.HasPrefix(name, folder+"/") {
				found = append(found, Info{Name: name, Bytes: int64(len(data))})
			}
		}
	})
	m.requests.Add(int64(len(found) / listed)) // a reply lists so many
	for _, i := range found {
		if err == nil {
			err = each(i)
		}
	}
	return err
}

func (m *memory) Publish(ctx context.Context, name, file string) (published bool, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	err = m.request(ctx, func() {
		_, there := m.files[name]
		if published = !there; published {
			m.files[name] = data
			m.accepted[name]++
			m.last = time.Now()
		}
	})
	return published, err
}

func (m *memory) Replace(ctx context.Context, name, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return m.request(ctx, func() { m.files[name] = data })
}

func (m *memory) Scratch(work string) (string, error) { return os.MkdirTemp(m.scratch, work+".*") }
func (m *memory) Sweep(string)                        {}

// TestSimulatedCluster: 10,000 workers with SATURATE_ACCEPT. Every shard is published once with the right bytes,
// whatever dies. It logs how long the work takes against the time that the same workers would need without deaths, slow
// ones and failing requests.
func TestSimulatedCluster(t *testing.T) {
	m := model{workers: 200, shards: 2000, shard: time.Minute, life: time.Hour, restart: time.Minute, slow: 0.02, errors: 0.05, lost: 0.05}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		m.workers, m.shards = 10_000, 100_000
	}
	for _, engine := range []struct {
		name               string
		perShard, takeOver bool
	}{{"every N-th shard", false, false}, {"every N-th shard, then others'", false, true}, {"one shard at a time", true, false}} {
		t.Run(engine.name, func(t *testing.T) {
			m := m
			m.perShard, m.takeOver = engine.perShard, engine.takeOver
			if m.takeOver { // every helper lists everything, which takes long to simulate
				m.workers, m.shards = min(m.workers, 2000), min(m.shards, 20_000)
			}
			synctest.Test(t, func(t *testing.T) { m.run(t) })
		})
	}
}

func (m model) run(t *testing.T) {
	s := &memory{model: m, scratch: shmFolder(t), files: map[string][]byte{}, accepted: map[string]int{}}
	p := planned(t, s, m.shards, 1)
	begin := time.Now()
	var deaths, begun atomic.Int64
	var ends []time.Duration
	var mu sync.Mutex
	todo := make(chan int, m.shards)
	for i := range m.shards {
		todo <- i
	}
	var group sync.WaitGroup
	for i := range m.workers {
		pace := 1.0
		if float64(i) < m.slow*float64(m.workers) {
			pace = 4
		}
		make := func(ctx context.Context, j Job) (Made, error) {
			took := time.Duration(pace * float64(m.shard) * math.Exp(0.3*rand.NormFloat64()-0.045))
			select {
			case <-time.After(took):
			case <-ctx.Done():
				return Made{}, ctx.Err()
			}
			path := filepath.Join(j.Dir, "out")
			err := os.WriteFile(path, fmt.Appendf(nil, "%d %s", j.Shard, j.Lines), 0o600)
			return Made{Rows: 1, Files: []Piece{{"shards/" + Name(j.Shard), path}}}, err
		}
		note := func(e Event) {
			if e.What == "begun" {
				begun.Add(1)
			}
		}
		group.Go(func() {
			mine := Which{Worker: i, Of: m.workers}.Mine(m.shards)
			for {
				if m.perShard && len(mine) != 1 { // the one that was lost comes back to this worker; any would do
					mine = []int{<-todo}
				}
				life, die := context.WithTimeout(t.Context(), time.Duration(rand.ExpFloat64()*float64(m.life)))
				for life.Err() == nil {
					_, err := Work(life, s, p, mine, make, note)
					if err != nil {
						if life.Err() == nil {
							t.Error(err)
						}
						break
					}
					if !m.perShard {
						if m.takeOver {
							if _, err := TakeOver(life, s, p, mine, make, note); err != nil {
								if life.Err() == nil {
									t.Error(err)
								}
								break
							}
						}
						die()
						mu.Lock()
						ends = append(ends, time.Since(begin))
						mu.Unlock()
						return
					}
					select {
					case shard := <-todo:
						mine = []int{shard}
					default:
						die()
						mu.Lock()
						ends = append(ends, time.Since(begin))
						mu.Unlock()
						return
					}
				}
				die()
				deaths.Add(1)
				time.Sleep(m.restart)
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	for i := range m.shards {
		name := "shards/" + Name(i)
		if got, want := string(s.files[name]), fmt.Sprintf("%d {\"n\":%d}\n", i, i); got != want {
			t.Fatalf("%s is %q instead of %q", name, got, want)
		}
		if s.accepted[name] != 1 || s.accepted[receiptName(i)] != 1 {
			t.Fatalf("%s was accepted %d times, its receipt %d times", name, s.accepted[name], s.accepted[receiptName(i)])
		}
	}
	again, most := begun.Load()-int64(m.shards), deaths.Load()
	if m.takeOver { // each has one helper at most
		for name := range s.files {
			if strings.HasPrefix(name, claims+"/") {
				most++
			}
		}
	}
	if again > most {
		t.Errorf("%d shards were begun again after %d deaths", again, deaths.Load())
	}
	slices.Sort(ends)
	ideal := time.Duration(m.shards/m.workers) * m.shard
	t.Logf("%d workers, %d shards of %v: all published after %v, workers ended after %v, %.2f of the ideal %v; half of the workers were done after %v; %d deaths, %d shards begun again, %d requests (%.1f a shard, %.0f a second); all published once",
		m.workers, m.shards, m.shard, s.last.Sub(begin).Round(time.Second), took.Round(time.Second), float64(ideal)/float64(took), ideal, ends[len(ends)/2].Round(time.Second), deaths.Load(), begun.Load()-int64(m.shards),
		s.requests.Load(), float64(s.requests.Load())/float64(m.shards), float64(s.requests.Load())/took.Seconds())
}

// shmFolder is in memory where the system has such a folder: a simulation syncs hundreds of thousands of small files.
func shmFolder(t *testing.T) string {
	if dir, err := os.MkdirTemp("/dev/shm", "saturate-simulation-*"); err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		return dir
	}
	return t.TempDir()
}
