package batch

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// TestSimulatedAllocators searches for the batch of 1,000 made-up programs, and trains on in shuffled order with what
// was accepted: an allocator that may take 97% of the memory has to be enough.
func TestSimulatedAllocators(t *testing.T) {
	count := 1000
	if testing.Short() {
		count = 100
	}
	all := simulate(count, 200)
	unfit, unsure, trials, even, filled, near, slow := 0, 0, 0, 0, 0, 0, 0
	for i, o := range all {
		r := o.result
		switch {
		case errors.Is(o.err, errUnfit):
			unfit++
			continue
		case o.err != nil:
			t.Errorf("job %d: %v", i, o.err)
			continue
		case r.Unknown != "":
			unsure++
			continue
		}
		trials = max(trials, len(r.Trials))
		if o.fails {
			t.Errorf("job %d: batch %d, confirmed at %.1f%%, does not run in 97%% of the memory", i, r.Largest.Batch, 100*r.Largest.Use())
		}
		if o.speed < 0.95 {
			slow++
		}
		if r.Largest.Lengths.Varies || r.Bound != ByMemory || r.Largest.Batch < 16 { // one sample more or less is too much
			continue
		}
		even++
		if u := r.Largest.Use(); u >= 0.85 && u <= 0.92 {
			filled++
		}
		if math.Abs(r.Predicted.AllocatedOff) <= 0.03 && math.Abs(r.Predicted.ReservedOff) <= 0.05 {
			near++
		}
	}
	t.Logf("%d jobs: %d do not fit, %d not confirmed; of %d with samples of one length, %d fill 85%% to 92%% and %d were predicted within 3%% and 5%%; %d knees below 95%%; at most %d trials",
		count, unfit, unsure, even, filled, near, slow, trials)
	if trials > mostTrials {
		t.Errorf("%d trials", trials)
	}
	if share := 0.95 * float64(even); float64(filled) < share || float64(near) < share || slow > count/50 {
		t.Error("too few memories are filled, predicted, or too many knees missed")
	}
}

// simulated is what a search found of a made-up program, and how that went.
type simulated struct {
	result Result
	err    error
	fails  bool
	speed  float64 // of the knee, as a share of the best
}

func simulate(count, steps int) []simulated {
	all := make([]simulated, count)
	var work sync.WaitGroup
	next := make(chan int)
	for range runtime.NumCPU() {
		work.Add(1)
		go func() {
			defer work.Done()
			for i := range next {
				all[i] = newJob(uint64(i)).simulate(steps)
			}
		}()
	}
	for i := range count {
		next <- i
	}
	close(next)
	work.Wait()
	return all
}

func (j *job) simulate(steps int) (o simulated) {
	o.result, o.err = Search(context.Background(), Options{}, j.trial)
	if o.err != nil || o.result.Unknown != "" {
		return o
	}
	o.fails = j.later(o.result.Largest.Batch, steps)
	best := 0.0
	for b := 1; b <= o.result.Largest.Batch; b++ {
		best = max(best, j.rate(b))
	}
	o.speed = j.rate(o.result.Knee.Batch) / best
	return o
}

func (j *job) rate(batch int) float64 { return float64(batch) / (j.fixed + j.each*float64(batch)) }

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []Point
		at     int
		want   float64
	}{
		{"one point: all of it grows", []Point{{4, 40}}, 8, 80},
		{"a line", []Point{{8, 180}, {16, 260}, {32, 420}}, 100, 1100},
		{"in any order, sizes twice", []Point{{32, 420}, {8, 180}, {16, 260}, {8, 180}}, 100, 1100},
		{"a parabola", []Point{{10, 200}, {20, 500}, {40, 1700}}, 80, 6500},
		{"a bend downwards is not followed", []Point{{10, 200}, {20, 400}, {40, 600}}, 80, 1000},
	} {
		if got := newFit(c.points).At(c.at); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %v at %d, want %v", c.name, got, c.at, c.want)
		}
	}
	if got := newFit([]Point{{8, 180}, {16, 260}}).Largest(1105, 1000); got != 100 {
		t.Errorf("largest %d", got)
	}
}

// The speeds of a Whisper on an H200 in bf16, as they were measured.
func TestKnee(t *testing.T) {
	var trials []Measured
	for _, p := range [][2]float64{{8, 187}, {32, 522}, {128, 613}, {256, 624}} {
		trials = append(trials, Measured{Batch: int(p[0]), Rate: p[1]})
	}
	knee, best, found := Knee(trials)
	if !found || knee.Batch != 128 || best != 624 {
		t.Errorf("knee %d, best %v", knee.Batch, best)
	}
	if next := earlier(trials); next != 0 { // 122 would be as fast: not worth a trial
		t.Errorf("%d is to be tried", next)
	}
	if next := earlier([]Measured{{Batch: 8, Rate: 160}, {Batch: 512, Rate: 800}}); next != 400 {
		t.Errorf("%d is to be tried", next)
	}
	trials = append(trials, Measured{Batch: 96, Rate: 610})
	if knee, _, _ := Knee(trials); knee.Batch != 96 {
		t.Errorf("knee %d", knee.Batch)
	}
}

// A program that does not fit, one that fails, and one whose data ends before its memory.
func TestEnds(t *testing.T) {
	trial := func(fault Fault, each, samples int) Run {
		return func(_ context.Context, t Trial) (Measured, error) {
			m := Measured{Batch: max(1, t.Batch), Steps: t.Steps, Fault: fault, Problem: "no", Samples: samples, Rate: 1}
			m.Total, m.Allocated = 1000, int64(each*m.Batch)
			m.Reserved = m.Allocated
			return m, nil
		}
	}
	if _, err := Search(context.Background(), Options{}, trial(OutOfMemory, 1, 0)); !errors.Is(err, errUnfit) {
		t.Error(err)
	}
	if r, err := Search(context.Background(), Options{}, trial(Failed, 1, 0)); err == nil || len(r.Trials) != 1 {
		t.Error(r, err)
	}
	r, err := Search(context.Background(), Options{}, trial(Fits, 1, 50))
	if err != nil || r.Largest == nil || r.Largest.Batch != 50 || r.Bound != ByData {
		t.Errorf("%+v %v", r.Largest, err)
	}
	r, err = Search(context.Background(), Options{Most: 20}, trial(Fits, 1, 50))
	if err != nil || r.Largest == nil || r.Largest.Batch != 20 || r.Bound != ByUser {
		t.Errorf("%+v %v", r.Largest, err)
	}
}

// TestKneeFits: a batch that ran but was refused is not an answer, however fast it was, and what the refused ones took says
// what the next one takes.
func TestKneeFits(t *testing.T) {
	run := func(_ context.Context, t Trial) (Measured, error) {
		m := Measured{Batch: t.Batch, Steps: t.Steps}
		if m.Batch == 0 {
			m.Batch = 4
		}
		m.Total, m.Allocated = 24000, int64(100+180*m.Batch)
		m.Reserved = 2 * m.Allocated
		if m.Batch > 30 {
			m.Reserved = int64(16000 + 100*m.Batch) // cut up
		}
		if m.Batch > 47 {
			m.Retries = 1
		}
		m.Rate = float64(m.Batch) / (20 + 0.1*float64(m.Batch))
		return m, nil
	}
	r, err := Search(t.Context(), Options{}, run)
	if err != nil || r.Largest == nil || r.Knee == nil {
		t.Fatalf("%+v %v", r, err)
	}
	refused := 0
	for _, m := range r.Trials {
		if m.Retries > 0 {
			refused++
		}
	}
	if refused < 2 || r.Knee.Batch > r.Largest.Batch {
		t.Errorf("knee %d, largest %d after %d that were refused", r.Knee.Batch, r.Largest.Batch, refused)
	}
	if off := r.Predicted.ReservedOff; off < -0.01 || off > 0.01 {
		t.Errorf("reserved is off by %v", off)
	}
}

// TestRateOfWorkers: worker processes bring several batches at once, so most steps wait for none. A speed from the
// middle step would promise what the loader cannot deliver.
func TestRateOfWorkers(t *testing.T) {
	var steps []run.Step
	for i := range 9 {
		wait := 0.0
		if i%4 == 0 {
			wait = 0.4
		}
		steps = append(steps, run.Step{Index: i + 1, Seconds: 0.01 + wait, Samples: 16, Parts: []run.Part{{Name: "data", Seconds: wait}}})
	}
	m := measure(probe.Outcome{Run: run.Run{Steps: steps}, Stopped: true}, Trial{Batch: 16})
	if m.Fault != Fits || m.DataWait < 0.9 || m.Rate > 160 {
		t.Errorf("%+v", m)
	}
	for i := range steps {
		steps[i].Seconds, steps[i].Parts[0].Seconds = 0.01, 0
	}
	steps[4].Seconds = 1 // a pause of the machine
	if m = measure(probe.Outcome{Run: run.Run{Steps: steps}, Stopped: true}, Trial{Batch: 16}); math.Round(m.Rate) != 1600 {
		t.Errorf("%+v", m)
	}
}

// TestFlatMemory: where memory hardly grows, the next batch is at most eight times the last, and one that the program
// cannot run ends the search with what has run.
func TestFlatMemory(t *testing.T) {
	seen := 0
	run := func(_ context.Context, trial Trial) (Measured, error) {
		m := Measured{Batch: trial.Batch, Steps: trial.Steps}
		m.Total, m.Seconds, m.Rate = 2<<30, 0.01, float64(100*trial.Batch)
		m.Allocated = 200<<20 + int64(trial.Batch)
		m.Reserved = m.Allocated
		if trial.Batch > farthest*max(8, seen) {
			t.Errorf("batch %d after %d", trial.Batch, seen)
		}
		if seen = max(seen, trial.Batch); trial.Batch > 4096 {
			m.Fault, m.Problem = Failed, "the data set has 4,096 samples"
		}
		return m, nil
	}
	r, err := Search(t.Context(), Options{Start: 8}, run)
	if err != nil || r.Largest == nil || r.Largest.Batch > 4096 || !strings.Contains(r.Unknown, "4,096 samples") {
		t.Errorf("%v; %+v; %s", err, r.Largest, r.Unknown)
	}
}
