package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"saturate/internal/files"
	"saturate/internal/mel"
)

// The same bytes, whatever the number of workers, buffers and batches, and whichever way rows are written.
func TestSameBytes(t *testing.T) {
	dir := corpus(t, 60)
	l := find(t, dir)
	for _, to := range FormatNames() {
		for _, layout := range layouts {
			t.Run(to+" "+layout.name, func(t *testing.T) {
				want := ""
				for _, n := range []struct {
					workers, buffers, batch int
					mapping                 string
					apart                   int // rows of a parcel that computes by itself
				}{{1, 1, 1, "", 0}, {2, 3, 0, "", 0}, {7, 1, 2, "", 0}, {7, 1, 2, MapNo, 0}, {3, 2, 50, "", 0}, {1, 3, 8, "", 8}, {2, 3, 8, "", 3}, {1, 1, 1, "", 2}, {3, 2, 4, MapYes, 64}, {4, 3, 0, MapYes, 0}} {
					o := small(t, dir, to)
					o.Workers, o.Buffers, o.Batch, o.Map = n.workers, n.buffers, n.batch, n.mapping
					o.Shard = 7
					layout.set(&o)
					var rows apart
					if n.apart > 0 {
						o.Computer = rows.maker(o, n.apart)
					}
					r, err := Build(t.Context(), l, o)
					if done, missed := rows.done.Load(), rows.missed.Load(); err == nil && n.apart > 0 && (done == 0 || missed == 0) {
						t.Errorf("%+v: %d rows were computed apart, %d missed", n, done, missed)
					}
					if n.mapping == MapYes && (layout.name != "fixed" || to == "webdataset") {
						if err == nil || !strings.Contains(err.Error(), "--map yes needs") {
							t.Errorf("%v", err)
						}
						continue
					}
					if err != nil {
						t.Fatal(err)
					}
					if r.Files != 60 || len(r.Failed) != 7 {
						t.Errorf("%d files, %d failed: %v", r.Files, len(r.Failed), r.Failed)
					}
					got := fingerprint(t, o.Output)
					if want == "" {
						want = got
					}
					if got != want {
						t.Errorf("%+v gives other bytes", n)
					}
					if left, _ := filepath.Glob(o.Output + ".*"); fmt.Sprint(left) != "["+quarantineName(o.Output)+"]" {
						t.Errorf("left lying: %v", left)
					}
				}
			})
		}
	}
}

// A build that is stopped again and again ends with the bytes of one that was not, does no file twice, and
// shows nothing under the final name before it is complete.
func TestStoppedAndResumed(t *testing.T) {
	dir := corpus(t, 60)
	l := find(t, dir)
	random := rand.New(rand.NewPCG(3, 4))
	for _, to := range FormatNames() {
		for _, layout := range layouts {
			t.Run(to+" "+layout.name, func(t *testing.T) {
				o := small(t, dir, to)
				layout.set(&o)
				build(t, l, o)
				want := fingerprint(t, o.Output)
				o.Output = filepath.Join(t.TempDir(), "again")
				stops, before := 0, 0
				for {
					o.Workers, o.Buffers = 1+random.IntN(4), 1+random.IntN(3)
					o.Partial = random.IntN(2) == 0
					ctx, cancel := context.WithCancel(t.Context())
					if stops < 40 {
						o.Computer = stopAfter(o, cancel, 1+random.IntN(8))
					} else {
						o.Computer = nil
					}
					r, err := Build(ctx, l, o)
					cancel()
					if err == nil {
						break
					}
					stops++
					if !errors.Is(err, context.Canceled) {
						t.Fatal(err)
					}
					if _, err := os.Stat(o.Output); err == nil {
						t.Fatal("an unfinished output has its final name")
					}
					var stopped *Stopped
					if !errors.As(err, &stopped) || r.Resumed < before && !o.Partial {
						t.Fatalf("%v; %d were finished before, %d are kept", err, before, r.Resumed)
					}
					if before = stopped.Done; o.Partial {
						before = 0
					}
				}
				if stops < 3 {
					t.Fatalf("only stopped %d times", stops)
				}
				if got := fingerprint(t, o.Output); got != want {
					t.Errorf("other bytes after %d stops", stops)
				}
			})
		}
	}
}

// apart is a Computer that computes by itself, as a GPU does, and now and then cannot.
type apart struct {
	Computer
	batch        int
	turn         atomic.Int64
	done, missed atomic.Int64
	all          *apart
}

func (c *apart) maker(o Options, batch int) func() (Computer, error) {
	return func() (Computer, error) {
		one, err := NewCPU(o.Params, "")
		return &apart{Computer: one, batch: batch, all: c}, err
	}
}

func (c *apart) Batch() int { return c.batch }

func (c *apart) Start(jobs []Job, done func()) {
	one, err := NewCPU(mel.Whisper(80), "")
	if err != nil {
		panic(err)
	}
	turn := c.all.turn.Add(1)
	go func() {
		for i := range jobs {
			if jobs[i].Missed = turn%5 == 0; jobs[i].Missed || one.Compute(jobs[i:i+1]) != nil {
				if c.all.missed.Add(1)%2 == 0 {
					jobs[i].Dst = nil
				}
				continue
			}
			c.all.done.Add(1)
		}
		done()
	}()
}

// stopper is a Computer that has enough after some rows.
type stopper struct {
	Computer
	left   *atomic.Int64
	cancel func()
}

func stopAfter(o Options, cancel func(), rows int) func() (Computer, error) {
	left := new(atomic.Int64)
	left.Store(int64(rows))
	return func() (Computer, error) {
		c, err := NewCPU(o.Params, "")
		return &stopper{c, left, cancel}, err
	}
}

func (s *stopper) Compute(jobs []Job) error {
	if s.left.Add(-1) <= 0 {
		s.cancel()
	}
	return s.Computer.Compute(jobs)
}

// A second run of the same command finds everything done; other settings are refused by name.
func TestExistingOutput(t *testing.T) {
	dir := corpus(t, 12)
	l := find(t, dir)
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		build(t, l, o)
		want := fingerprint(t, o.Output)
		if r := build(t, l, o); !r.Existing || r.Resumed != 12 {
			t.Errorf("%s: %+v", to, r)
		}
		o.Params.Mels = 40
		_, err := Build(t.Context(), l, o)
		if err == nil || !strings.Contains(err.Error(), "n_mels was 80, is now 40") || !strings.Contains(err.Error(), "--replace") {
			t.Errorf("%s: %v", to, err)
		}
		if fingerprint(t, o.Output) != want {
			t.Errorf("%s: it was changed all the same", to)
		}
		o.Replace = true
		build(t, l, o)
		if fingerprint(t, o.Output) == want {
			t.Errorf("%s: it was not replaced", to)
		}
		// Something else under that name.
		o.Replace = false
		o.Output = filepath.Join(t.TempDir(), "mine")
		write(t, o.Output, []byte("my notes"))
		if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "exists and is not") {
			t.Errorf("%s: %v", to, err)
		}
	}
	// An unfinished one of other settings.
	o := small(t, dir, "hdf5")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o.Computer = stopAfter(o, cancel, 3)
	if _, err := Build(ctx, l, o); err == nil {
		t.Fatal("not stopped")
	}
	o.Computer, o.Length = nil, 2*time.Second
	if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "unfinished output with different settings") {
		t.Error(err)
	}
	o.Replace = true
	build(t, l, o)
}

// Two runs at a time do not mix.
func TestLocked(t *testing.T) {
	dir := corpus(t, 5)
	l := find(t, dir)
	o := small(t, dir, "hdf5")
	f, err := os.Create(journalName(o.Output))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if files.Lock(f) != nil {
		t.Skip("no locks here")
	}
	if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "another run is writing") {
		t.Error(err)
	}
}

// A file more costs a few small objects, whatever its length: buffers are used again.
func TestSteadyMemory(t *testing.T) {
	dir := t.TempDir()
	data := wav(t, 16000, 1, voice(160000, 1)) // 320 kB
	for i := range 300 {
		path := filepath.Join(dir, fmt.Sprintf("%03d.wav", i))
		if i == 0 {
			write(t, path, data)
		} else if err := os.Link(filepath.Join(dir, "000.wav"), path); err != nil {
			t.Skip(err)
		}
	}
	whole := find(t, dir)
	cost := func(files int) uint64 {
		l := &List{Items: whole.Items[:files]}
		o := small(t, dir, "hdf5")
		o.Workers = 1
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		build(t, l, o)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := cost(100), cost(300)
	per := float64(many-few) / 200
	t.Logf("%.0f bytes are allocated a file of %d bytes", per, len(data))
	if per > 4096 {
		t.Errorf("%.0f bytes are allocated a file", per)
	}
}

// With Partial, what is finished when a build is stopped can be read and is right; without, nothing can.
func TestPartial(t *testing.T) {
	dir := corpus(t, 40)
	l := find(t, dir)
	for _, to := range FormatNames() {
		for _, layout := range layouts {
			for _, partial := range []bool{true, false} {
				o := small(t, dir, to)
				layout.set(&o)
				o.Workers, o.Partial = 1, partial
				ctx, cancel := context.WithCancel(t.Context())
				o.Computer = stopAfter(o, cancel, 20)
				_, err := Build(ctx, l, o)
				cancel()
				var stopped *Stopped
				if !errors.As(err, &stopped) || partial != strings.Contains(err.Error(), "is readable up to its first") {
					t.Fatalf("%s %s: %v", to, layout.name, err)
				}
				c, err := Check(t.Context(), PartName(o.Output), Options{Dir: dir}, 0)
				switch {
				case !partial && err == nil:
					t.Errorf("%s %s: an unfinished output can be read", to, layout.name)
				case partial && (err != nil || len(c.Problems) > 0 || c.Equal < 3):
					t.Errorf("%s %s: %v %+v", to, layout.name, err, c)
				}
				o.Computer = nil
				build(t, l, o)
				if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || len(c.Problems) > 0 {
					t.Errorf("%s %s: %v %+v", to, layout.name, err, c)
				}
			}
		}
	}
}
