package whatif

import (
	"math"
	"slices"
)

// Prediction is how long a step would take after some repairs.
type Prediction struct {
	Name       string   `json:"name"`              // what is done, in words
	Repairs    []string `json:"repairs"`           // as --what-if takes them
	Rules      []string `json:"rules,omitempty"`   // codes of the findings that ask for it
	StepNS     int64    `json:"step_ns,omitempty"` // the mean step afterwards; absent where only a bound is known
	IntervalNS [2]int64 `json:"interval_ns"`       // between which it is expected; without step_ns, the bounds
	SavesNS    int64    `json:"saves_ns"`          // of the mean step now; 0 where only a bound is known
	Calibrated bool     `json:"calibrated"`        // by the time of an unrecorded step
	Asked      bool     `json:"asked,omitempty"`   // by --what-if
	Note       string   `json:"note,omitempty"`    // why there is only a bound, or nothing to predict
}

// Known reports whether a figure is given.
func (p Prediction) Known() bool { return p.StepNS > 0 }

// Model predicts.
type Model struct {
	g          *Graph
	hosts      hosts
	calibrated bool
	spare      *Times
	now        float64 // the step now, as the model counts it
	real       float64 // the step that predictions start from
}

// NewModel makes a model of steps that take so long as recorded. Without a time of unrecorded steps the host's speed is
// not known.
func (g *Graph) NewModel(recorded float64, u *Untraced) (*Model, error) {
	m := &Model{g: g, hosts: hosts{AsRecorded, Host{leastHost, leastHost}, AsRecorded, 1}, real: recorded}
	if u != nil {
		h, err := g.calibrate(*u, func(h Host) float64 { return m.step(nil, h, likely) })
		if err != nil {
			return nil, err
		}
		m.hosts, m.calibrated, m.real = h, true, u.StepNS
	}
	m.now = m.step(nil, m.hosts.mid, likely)
	return m, nil
}

// Step is the mean step that predictions start from: the unrecorded one if it is known.
func (m *Model) Step() float64 { return m.real }

// Calibrated reports whether the host's speed is known.
func (m *Model) Calibrated() bool { return m.calibrated }

// HostFactor is by what the recorded host times are multiplied.
func (m *Model) HostFactor() float64 { return m.hosts.mid.Other }

func (m *Model) times(set []Repair, h Host, b bias) (*Times, error) {
	p := m.g.Plan(h, b)
	for _, r := range set {
		if err := r.apply(p); err != nil {
			return nil, err
		}
	}
	m.spare = m.g.Run(p, m.spare)
	return m.spare, nil
}

func (m *Model) step(set []Repair, h Host, b bias) float64 {
	t, err := m.times(set, h, b)
	if err != nil {
		return math.NaN()
	}
	return t.Mean()
}

// Predict says how long a step takes after the repairs; an error where one of them has nothing to change.
func (m *Model) Predict(set []Repair) (Prediction, error) {
	p := Prediction{Calibrated: m.calibrated}
	for i, r := range set {
		if i > 0 {
			p.Name += ", "
		}
		p.Name += r.Title
		p.Repairs = append(p.Repairs, r.Name())
	}
	t, err := m.times(set, m.hosts.mid, likely)
	if err != nil {
		return p, err
	}
	step, spread := t.Mean(), 2*deviation(t.steps)/math.Sqrt(float64(len(t.steps)))
	low, high := m.step(set, m.hosts.low, optimistic)-spread, m.step(set, m.hosts.high, pessimistic)+spread
	// The replay starts from its own step, which differs a little from the one that was measured.
	final := func(ns float64) int64 {
		if m.calibrated {
			return int64(max(0, ns) * m.hosts.scale)
		}
		return int64(max(0, m.real-(m.now-max(0, ns))))
	}
	if slow := m.step(set, Host{0.5, 0.5}, likely); !m.calibrated && step-slow > hostBound*step {
		// The profiler's share of the host's time is unknown, and it decides the step: only bounds are true.
		p.IntervalNS = [2]int64{int64(m.step(set, Host{0, 0}, optimistic)), final(max(step, high))}
		p.Note = "Unknown: the host (CPU) limits this step, and the profiler slows the host down. For a prediction, pass --step-time: the time of a step without the profiler."
		return p, nil
	}
	p.StepNS = final(step)
	p.IntervalNS = [2]int64{min(final(low), p.StepNS), max(final(high), p.StepNS)}
	p.SavesNS = int64(m.real) - p.StepNS
	return p, nil
}

// Best looks for the set of repairs with the shortest step: of each key the value that does best among the others, less
// what adds nothing. It starts from all of them, because a repair may show its worth only once another is made.
func (m *Model) Best(candidates []Repair) (set []Repair) {
	place := func(r Repair) int { return slices.IndexFunc(set, func(x Repair) bool { return x.Key == r.Key }) }
	for _, r := range candidates {
		if place(r) < 0 {
			set = append(set, r)
		}
	}
	for _, r := range candidates {
		if i := place(r); set[i].Value != r.Value && m.quick(replaced(set, i, r)) < m.quick(set) {
			set[i] = r
		}
	}
	const worthIt = 0.01
	for len(set) > 0 {
		now := m.quick(set)
		least, step := -1, now*(1+worthIt)
		for i := range set {
			if s := m.quick(slices.Delete(slices.Clone(set), i, i+1)); s < step {
				least, step = i, s
			}
		}
		if least < 0 {
			break
		}
		set = slices.Delete(set, least, least+1)
	}
	return set
}

func (m *Model) quick(set []Repair) float64 { return m.step(set, m.hosts.mid, likely) }

func replaced(set []Repair, i int, by Repair) []Repair {
	out := slices.Clone(set)
	out[i] = by
	return out
}

func deviation(values []int64) float64 {
	if len(values) < 2 {
		return 0
	}
	m := mean(values)
	var sum float64
	for _, v := range values {
		sum += (float64(v) - m) * (float64(v) - m)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
