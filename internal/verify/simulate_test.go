package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"saturate/internal/human"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// machine simulates a computer that trains: step times with what real ones suffer from. Shares are of the step time.
type machine struct {
	random *rand.Rand

	process   float64 // standard deviation from process to process: memory layout, autotuning
	jitter    float64 // of single steps
	memory    float64 // correlation of a step's jitter with the next one's
	drift     float64 // standard deviation of the random walk from run to run: temperature, neighbours
	ramp      float64 // slow-down with each run: a machine that warms up
	stumbles  float64 // share of steps that take up to ten times as long
	bursts    float64 // share of runs of which a third is slower by half: another program
	slowClock float64 // share of runs on the lower of two clocks
	clockGap  float64 // how much slower that is
	second    float64 // what the second run of a block pays, whatever it is

	wandered float64
	runs     int
}

// machines are what the method has to cope with.
func machines(seed uint64) map[string]*machine {
	list := map[string]*machine{
		"quiet":      {process: 0.002, jitter: 0.01, memory: 0.3},
		"ordinary":   {process: 0.008, jitter: 0.03, memory: 0.5, drift: 0.004, ramp: 0.0005, stumbles: 0.01},
		"drifting":   {process: 0.005, jitter: 0.02, memory: 0.5, drift: 0.015, ramp: 0.004},
		"stumbling":  {process: 0.005, jitter: 0.03, memory: 0.3, stumbles: 0.04},
		"bursty":     {process: 0.006, jitter: 0.03, memory: 0.6, bursts: 0.10},
		"two clocks": {process: 0.004, jitter: 0.02, memory: 0.4, slowClock: 0.3, clockGap: 0.06},
		"correlated": {process: 0.01, jitter: 0.06, memory: 0.95, drift: 0.005},
		"positional": {process: 0.005, jitter: 0.02, memory: 0.4, second: 0.02},
		"crowded":    {process: 0.02, jitter: 0.08, memory: 0.7, drift: 0.02, stumbles: 0.03, bursts: 0.10},
	}
	for name, m := range list {
		m.random = rand.New(rand.NewPCG(seed, uint64(len(name))<<32|uint64(name[0])<<8|uint64(name[1])))
	}
	return list
}

// train runs a program whose steps take seconds on a perfect machine.
func (m *machine) train(seconds float64, steps int) run.Run {
	m.runs++
	m.wandered += m.drift * m.random.NormFloat64()
	level := seconds * math.Exp(m.wandered+m.ramp*float64(m.runs)+m.process*m.random.NormFloat64())
	if m.random.Float64() < m.slowClock {
		level *= 1 + m.clockGap
	}
	if m.runs%2 == 0 {
		level *= 1 + m.second
	}
	burst := [2]int{-1, -1}
	if m.random.Float64() < m.bursts {
		from := m.random.IntN(steps)
		burst = [2]int{from, from + steps/3}
	}
	r := run.Run{State: run.Complete}
	warm := 1 + m.random.IntN(4)
	var ar float64
	for i := range steps {
		ar = m.memory*ar + math.Sqrt(1-m.memory*m.memory)*m.random.NormFloat64()
		s := level * math.Exp(m.jitter*ar)
		if i < warm {
			s *= 1 + 8*math.Exp(-float64(i))
		}
		if i >= burst[0] && i < burst[1] {
			s *= 1.5
		}
		if m.random.Float64() < m.stumbles {
			s *= 1 + 9*m.random.Float64()
		}
		loss := stat.Number(2*math.Exp(-float64(i)/40) + 0.3)
		r.Steps = append(r.Steps, run.Step{Index: i, Seconds: s, Samples: 8, Loss: &loss})
	}
	return r
}

// simulated carries out a whole experiment on a machine; after takes ratio times as long as before.
func simulated(t *testing.T, m *machine, seed uint64, pairs int, ratio float64) Result {
	t.Helper()
	m.wandered, m.runs = 0, 0
	plan := Plan{
		Before: Variant{Name: "a", Command: []string{"a"}}, After: Variant{Name: "b", Command: []string{"b"}},
		Pairs: pairs, Calibration: DefaultCalibration, Steps: DefaultSteps, Seed: seed,
	}
	result, err := Run(context.Background(), plan, Options{Execute: func(_ context.Context, trial Trial) (run.Run, error) {
		seconds := 0.1
		if trial.Side == After {
			seconds *= ratio
		}
		return m.train(seconds, trial.Steps), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// wrong reports whether a verdict is untrue of a change by ratio. Not to decide is never untrue.
func wrong(v Verdict, ratio, threshold float64) bool {
	switch v {
	case Faster:
		return ratio > 1/(1+threshold)
	case Slower:
		return ratio < 1+threshold
	case TheSame:
		return ratio > 1+threshold || ratio < 1/(1+threshold)
	case Invalid:
		return true // nothing here is invalid
	}
	return false
}

// A thousand experiments and more, on machines of every kind: of the verdicts, at most one in twenty is wrong, for each
// machine and for each kind of truth; and an effect of twice what the experiment says it can show is found in four of
// five.
func TestSimulatedVerdicts(t *testing.T) {
	for _, pairs := range []int{DefaultPairs, 12} {
		if pairs > DefaultPairs && !accepting() {
			continue
		}
		t.Run(human.Plural(pairs, "pair"), func(t *testing.T) { testSimulated(t, pairs) })
	}
}

func testSimulated(t *testing.T, pairs int) {
	const (
		each      = 40 // experiments for each machine and each truth
		allowed   = 0.05
		leastSeen = 0.80
	)
	total, totalWrong := 0, 0
	for name, m := range machines(1) {
		smallest := 0.0
		for i := range 20 { // what such a machine can show, on average
			smallest += float64(simulated(t, m, uint64(i), pairs, 1).Smallest.Change) / 20
		}
		seen, wanted := 0, 0
		line := fmt.Sprintf("%-11s smallest %4.1f%%:", name, 100*smallest)
		for _, truth := range []struct {
			name  string
			ratio float64
			power bool
		}{
			{"equal", 1, false},
			{"half of the threshold", 1.005, false},
			{"just below the threshold", 1 / 1.0099, false},
			{"just above the threshold", 1.0101, false},
			{"slower by the smallest", 1 + smallest, false},
			{"faster by twice the smallest", 1 / (1 + 2*smallest), true},
			{"slower by twice the smallest", 1 + 2*smallest, true},
		} {
			bad := 0
			verdicts := map[Verdict]int{}
			for i := range each {
				r := simulated(t, m, uint64(1000+i), pairs, truth.ratio)
				verdicts[r.Verdict]++
				if wrong(r.Verdict, truth.ratio, r.Plan.Threshold) {
					bad++
				}
				if truth.power {
					wanted++
					if r.Verdict == Faster && truth.ratio < 1 || r.Verdict == Slower && truth.ratio > 1 {
						seen++
					}
				}
			}
			total, totalWrong = total+each, totalWrong+bad
			line += fmt.Sprintf(" %v", verdicts)
			// 40 experiments with 5 % wrong ones show more than 6 in one case of a hundred.
			if bad > 6 {
				t.Errorf("%s, %s: %d of %d verdicts are wrong: %v", name, truth.name, bad, each, verdicts)
			}
		}
		power := float64(seen) / float64(wanted)
		t.Logf("%s power %.0f%%", line, 100*power)
		if power < leastSeen {
			t.Errorf("%s: an effect of twice the smallest (%.1f%%) is found in %.0f%% of the experiments", name, 200*smallest, 100*power)
		}
	}
	share := float64(totalWrong) / float64(total)
	t.Logf("%d experiments, %d wrong verdicts (%.1f%%)", total, totalWrong, 100*share)
	if total < 1000 || share > allowed {
		t.Errorf("%d experiments, %.1f%% wrong", total, 100*share)
	}
}
