package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
)

// Options say how far to go.
type Options struct {
	Start        int     // the first batch size; 0: the program's own
	Target       float64 // share of the memory to fill
	Limit        float64 // share that a confirmed batch may take
	Most         int     // largest batch size to try; 0: the number of samples
	Trials       int
	ProbeSteps   int
	ProofSteps   int
	OnTrial      func(Trial, Purpose) // called before each
	Parameters   func() int64         // that have two states of the optimizer, once the program has run
	Checkpointed func() bool          // whether the last trial could be checkpointed
	OnMeasured   func(Measured)       // called after each
}

// Defaults fills in what is left empty.
func (o Options) Defaults() Options {
	set := func(value *float64, usual float64) {
		if *value == 0 {
			*value = usual
		}
	}
	set(&o.Target, 0.90)
	set(&o.Limit, o.Target+0.02)
	for _, n := range []struct {
		value *int
		usual int
	}{{&o.Trials, mostTrials}, {&o.ProbeSteps, 6}, {&o.ProofSteps, 20}} {
		if *n.value == 0 {
			*n.value = n.usual
		}
	}
	return o
}

// mostTrials is how many processes a search starts by default.
const mostTrials = 6

// wanted is the share of the memory below which a larger batch is tried.
const wanted = 0.85

// Result is what a search found.
type Result struct {
	Own       int         `json:"own"`    // the program's batch size
	Target    float64     `json:"target"` // share of the memory
	Trials    []Measured  `json:"trials"` // in order
	Allocated Fit         `json:"allocated"`
	Reserved  Fit         `json:"reserved"`
	Predicted *Prediction `json:"predicted,omitempty"` // of the largest batch
	Largest   *Measured   `json:"largest,omitempty"`   // confirmed
	Knee      *Measured   `json:"knee,omitempty"`      // the smallest batch that is as fast as the best
	Best      float64     `json:"best_samples_per_s"`  // samples per second of the fastest trial
	Bound     Bound       `json:"bound,omitempty"`     // what keeps the batch from growing further
	CutOff    bool        `json:"cut_off"`             // a larger batch would be faster still, if it fitted
	Unknown   string      `json:"unknown,omitempty"`   // why there is no answer
	Savings   []Saving    `json:"savings,omitempty"`   // ways to need less memory, where it cuts the knee off
}

// Bound is what keeps the batch from growing.
type Bound string

const (
	ByMemory Bound = "memory"
	ByData   Bound = "samples in the dataset"
	ByUser   Bound = "--most"
)

// Prediction is what the fit said before the trial.
type Prediction struct {
	Batch     int     `json:"batch"`     // samples in each batch
	Allocated float64 `json:"allocated"` // predicted bytes in tensors
	Reserved  float64 `json:"reserved"`  // predicted bytes in the allocator
	// By how much the trial differed, as shares: 0.01 is 1% more than predicted.
	AllocatedOff float64 `json:"allocated_off"`
	ReservedOff  float64 `json:"reserved_off"` // the same for the reserved bytes
}

// errUnfit is a program whose smallest batch does not fit.
var errUnfit = errors.New("no batch fits")

// search is one in progress.
type search struct {
	Options
	run    Run
	result Result
	most   int // batch size
}

// Search makes trials until the largest batch that fits is confirmed and the smallest fast one is known.
func Search(ctx context.Context, o Options, run Run) (Result, error) {
	s := &search{Options: o.Defaults(), run: run}
	s.result.Target = s.Target
	if err := s.probe(ctx); err != nil {
		return s.result, err
	}
	if err := s.confirm(ctx); err != nil {
		return s.result, err
	}
	if err := s.knee(ctx); err != nil {
		return s.result, err
	}
	err := s.weigh(ctx)
	if ctx.Err() != nil && s.result.Largest != nil { // what is confirmed is worth telling
		s.result.Savings = append(s.result.Savings, Saving{Name: checkpointing, Text: "not weighed: the search was stopped"})
		return s.result, nil
	}
	return s.result, err
}

// try makes a trial. The error is for one that ended the search: the program fails for a reason that is not memory.
func (s *search) try(ctx context.Context, batch, steps int, purpose Purpose) (Measured, error) {
	t := Trial{Batch: batch, Steps: steps, Checkpointing: purpose == Weighing}
	if s.OnTrial != nil {
		s.OnTrial(t, purpose)
	}
	m, err := s.run(ctx, t)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return m, err
	}
	m.Purpose = purpose
	if batch > 0 {
		m.Batch = batch
	}
	s.result.Trials = append(s.result.Trials, m)
	if s.OnMeasured != nil {
		s.OnMeasured(m)
	}
	if m.Fault == Failed {
		with := fmt.Sprintf("batch %d", m.Batch)
		if batch == 0 {
			with = "its own batch size"
		}
		return m, fmt.Errorf("the program failed with %s: %s", with, m.Problem)
	}
	return m, nil
}

func (s *search) left() int { return s.Options.Trials - len(s.result.Trials) }

// points are the trials that fitted without crowding.
func (s *search) points(of func(Measured) int64) []Point {
	var list []Point
	for _, m := range s.result.Trials {
		if m.Fault == Fits && m.Retries == 0 && m.Purpose != Weighing {
			list = append(list, Point{m.Batch, float64(of(m))})
		}
	}
	return list
}

// fit fits both kinds of memory. Tensors that grow by the square of the batch make both bend; one alone is noise, or
// the step from an optimizer's peak to that of the samples.
func (s *search) fit() {
	allocated := s.points(func(m Measured) int64 { return m.Allocated })
	reserved := s.points(func(m Measured) int64 { return m.Reserved })
	s.result.Allocated, s.result.Reserved = newFit(allocated), newFit(reserved)
	if (s.result.Allocated.Square > 0) != (s.result.Reserved.Square > 0) {
		s.result.Allocated, s.result.Reserved = straightFit(allocated), straightFit(reserved)
	}
}

// room is the number of bytes that the program's allocator may take in a trial, at the worst seen of what others take.
// Where longer samples may come than the trial has, it leaves room for them: memory grows at most by the square of the
// length.
func (s *search) room(share float64) float64 {
	var total, others int64 = math.MaxInt64, 0
	stretch := 1.0
	for _, m := range s.result.Trials {
		if m.Total > 0 {
			total, others = min(total, m.Total), max(others, m.Others)
		}
		stretch = max(stretch, m.Lengths.Stretch())
	}
	room := share*float64(total) - float64(others)
	fixed := min(room, max(0, s.result.Allocated.Fixed))
	return fixed + (room-fixed)/(stretch*stretch)
}

// probe makes the small trials.
func (s *search) probe(ctx context.Context) error {
	first, err := s.try(ctx, s.Start, s.ProbeSteps, Probing)
	if err != nil {
		return err
	}
	s.result.Own = first.Batch
	s.most = math.MaxInt32
	if first.Samples > 0 {
		s.most = first.Samples
	}
	if s.Most > 0 {
		s.most = min(s.most, s.Most)
	}
	for first.crowded() {
		if first.Batch <= 1 || s.left() < 4 {
			return fmt.Errorf("%w: batch %d needs more than %s", errUnfit, first.Batch, human.Memory(first.Total))
		}
		if first, err = s.try(ctx, max(1, first.Batch/4), s.ProbeSteps, Probing); err != nil {
			return err
		}
	}
	for range 2 {
		next := s.next()
		if next == 0 {
			break
		}
		if _, err := s.try(ctx, next, s.ProbeSteps, Probing); err != nil {
			return err
		}
	}
	return nil
}

// How much of the memory the second and the third probe are to take, and may take. Larger probes predict better; none
// of them is to run out of memory.
const (
	littleShare = 0.15
	middleShare = 0.35
	mostShare   = 0.60
)

// farthest is how many times the largest batch so far the next small trial may have: one that says little about what is
// fixed must not be followed by one that runs out of memory.
const farthest = 8

// next is the batch size of the next small trial: two to eight times the largest so far, or half of the smallest where
// that would take too much; 0 where neither is possible.
func (s *search) next() int {
	s.fit()
	small, large, crowded := math.MaxInt, 0, math.MaxInt
	for _, m := range s.result.Trials {
		if m.crowded() {
			crowded = min(crowded, m.Batch)
			continue
		}
		small, large = min(small, m.Batch), max(large, m.Batch)
	}
	aim := littleShare
	if len(s.result.Trials) > 1 {
		aim = middleShare
	}
	fit := s.result.Reserved
	at := func(share float64) int { return fit.Largest(share*s.room(s.Target), s.most) }
	up := round(min(max(2*large, at(aim)), farthest*large, s.most))
	if up > large && up < crowded && up <= at(mostShare) {
		return up
	}
	if small/2 >= 1 {
		return small / 2
	}
	if up := large + 1; up <= min(s.most, at(1)) && up < crowded { // memory for a few samples only
		return up
	}
	return 0
}

// confirm finds the largest batch that fits, by prediction and trial.
func (s *search) confirm(ctx context.Context) error {
	s.fit()
	ceiling := s.most // nothing as large as a trial that was refused
	var best *Measured
	var broken error
	for s.left() > 0 {
		batch, bound := s.predict(ceiling)
		if near := round(farthest * s.largestRun()); near > 0 && batch > near { // small trials say little about it
			batch, bound = near, ByMemory
		}
		if batch < 1 {
			return fmt.Errorf("%w: even one sample needs more than %s", errUnfit, human.Percent(s.Target))
		}
		if best != nil && batch <= best.Batch {
			break
		}
		before := Prediction{Batch: batch, Allocated: s.result.Allocated.At(batch), Reserved: s.reserved(batch)}
		m, err := s.try(ctx, batch, s.ProofSteps, Confirming)
		if m.Fault == Failed && s.largestRun() > 0 {
			broken = err // what has run is worth telling
			break
		}
		if err != nil {
			return err
		}
		if m.Fault == Fits {
			before.AllocatedOff = float64(m.Allocated)/before.Allocated - 1
			before.ReservedOff = float64(m.Reserved)/before.Reserved - 1
		}
		if s.accepts(m) {
			s.result.Predicted, s.result.Bound, best = &before, bound, &m
			if s.fills(m) || bound != ByMemory || s.left() <= 1 {
				break
			}
			s.fit()
			continue
		}
		s.fit()
		ceiling = s.below(m)
	}
	s.conclude(best, ceiling, broken)
	return nil
}

// conclude writes down the largest batch that was confirmed, and what is still unknown.
func (s *search) conclude(best *Measured, ceiling int, broken error) {
	if best == nil {
		s.result.Unknown = s.fallBack()
		if broken != nil {
			s.result.Unknown += "; " + broken.Error()
		}
		return
	}
	s.result.Largest = best
	s.fit()
	next, bound := s.predict(ceiling)
	switch {
	case broken != nil:
		s.result.Unknown = broken.Error()
	case bound == ByMemory && !s.fills(*best) && next > best.Batch+best.Batch/20:
		s.result.Unknown = fmt.Sprintf("batch %d fits, with %s of the memory used; %d may fit too, but no trials were left",
			best.Batch, human.Percent(best.Use()), next)
	}
}

// largestRun is the largest batch that fitted in a trial; 0 where there is none.
func (s *search) largestRun() (largest int) {
	for _, m := range s.result.Trials {
		if m.Fault == Fits && !m.crowded() {
			largest = max(largest, m.Batch)
		}
	}
	return largest
}

// reserved predicts what the allocator takes. Where it had to give memory back in larger batches, it is cut up, and the
// two that are nearest say more than the small ones.
func (s *search) reserved(batch int) float64 {
	var cut []Point
	for _, m := range s.result.Trials {
		if m.Fault == Fits && m.Retries > 0 && m.Purpose != Weighing {
			cut = append(cut, Point{m.Batch, float64(m.Reserved)})
		}
	}
	slices.SortFunc(cut, func(a, b Point) int { return a.Batch - b.Batch })
	fitted := s.result.Reserved.At(batch)
	if len(cut) < 2 || cut[0].Batch < batch {
		return fitted
	}
	return max(fitted, straightFit(cut[:2]).At(batch))
}

// fills reports whether a trial took about as much memory as planned.
func (s *search) fills(m Measured) bool {
	return float64(m.Reserved) >= s.room(wanted*s.Target/0.9) || float64(m.Allocated) >= 0.94*s.solid()
}

// accepts reports whether a trial leaves enough memory.
func (s *search) accepts(m Measured) bool {
	share := s.Limit
	if m.Lengths.Varies {
		share = s.Target
	}
	return !m.crowded() && float64(m.Reserved) <= s.room(share) && float64(m.Allocated) <= s.solid()
}

// solid is how much tensors may take. Batches of different lengths go on cutting memory up long after the trial, until
// a fifth of it or more cannot be used.
func (s *search) solid() float64 {
	for _, m := range s.result.Trials {
		if m.Lengths.Varies {
			return s.room(s.Target * uncut)
		}
	}
	return math.Inf(1)
}

// uncut is the share of its room that an allocator can give to tensors of varying sizes, after hundreds of steps.
const uncut = 0.78

// below is the largest batch to try after one that was refused. One that ran tells what the next will take. Where the
// allocator had to give memory back, it is cut up, and takes as much more than its tensors in the next trial too.
func (s *search) below(m Measured) int {
	if !m.crowded() {
		return m.Batch - 1
	}
	next := m.Batch - max(1, m.Batch/10)
	if m.Fault == Fits && m.Allocated > 0 && m.Reserved > m.Allocated {
		cut := float64(m.Reserved) / float64(m.Allocated)
		next = min(next, s.result.Allocated.Largest(s.room(s.Target)/cut, m.Batch))
	}
	return max(1, next)
}

// predict is the largest batch that should fit, and what keeps it from being larger.
func (s *search) predict(ceiling int) (int, Bound) {
	fits := s.result.Reserved.Largest(s.room(s.Target), math.MaxInt32)
	fits = round(min(fits, s.result.Allocated.Largest(s.solid(), math.MaxInt32)))
	if fits <= ceiling {
		return fits, ByMemory
	}
	switch {
	case ceiling < s.most:
		return round(ceiling), ByMemory
	case s.Most > 0 && ceiling == s.Most:
		return ceiling, ByUser
	}
	return ceiling, ByData
}

// fallBack says what is known where no batch near the target was confirmed.
func (s *search) fallBack() string {
	for i := range s.result.Trials {
		m := &s.result.Trials[i]
		if s.accepts(*m) && (s.result.Largest == nil || m.Batch > s.result.Largest.Batch) {
			s.result.Largest = m
		}
	}
	if s.result.Largest == nil {
		return fmt.Sprintf("no batch was confirmed in %s", human.Plural(len(s.result.Trials), "trial"))
	}
	return fmt.Sprintf("no batch near %s of the memory was confirmed in %s; %d is the largest that ran, for %s",
		human.Percent(s.Target), human.Plural(len(s.result.Trials),
			"trial"), s.result.Largest.Batch, human.Plural(s.result.Largest.Steps, "step"))
}

// fitting are the trials up to the largest batch that was confirmed. Larger ones may have been faster, but do not fit
// for long.
func (s *search) fitting() []Measured {
	if s.result.Largest == nil {
		return s.result.Trials
	}
	return slices.DeleteFunc(slices.Clone(s.result.Trials), func(m Measured) bool { return m.Batch > s.result.Largest.Batch })
}

// knee finds the smallest batch that is as fast as the best, with the trials that are left.
func (s *search) knee(ctx context.Context) error {
	for s.left() > 0 {
		batch := earlier(s.fitting())
		if batch == 0 {
			break
		}
		if _, err := s.try(ctx, batch, s.ProbeSteps+4, Timing); err != nil {
			return err
		}
	}
	if knee, best, found := Knee(s.fitting()); found {
		s.result.Knee, s.result.Best = &knee, best
		s.result.CutOff = s.result.Bound == ByMemory && s.result.Largest != nil && knee.Batch >= s.result.Largest.Batch
	}
	return nil
}
