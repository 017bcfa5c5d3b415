package rule

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// judge collects the findings of one rule in one file.
type judge struct {
	rule         *Rule
	source       *project.Source
	reports      []*Report
	small        []*Report // those that cost little, which only --all shows
	observations []Observation
}

// Report is a finding that is being built.
type Report struct {
	finding finding.Finding
	source  *project.Source
	span    pysrc.Span
	// anyVersion is set if no version of a library is too old for its advice.
	anyVersion bool
	// needs is the version that its advice needs, if it is not that of its rule.
	needs *Since
	// step is the function whose loop, or each call of which, reaches it; beside is at how many places that waits if it costs little.
	step   *project.Function
	beside int
	// way is how a step reaches it, and onlyWaits is set if it costs nothing where the GPU has nothing to do.
	way       *project.Path
	onlyWaits bool
	// waits is set if what it is about waits for the GPU as well.
	waits bool
	// ofSwitch is set if it says that something is switched off: that a default leaves out the place is its claim.
	ofSwitch bool
}

// Report says that the node is at fault. The message is the rule's title
// unless Saying gives another.
func (j *judge) Report(n Node, confidence float64) *Report {
	place := location(j.source, n.Bounds())
	r := &Report{source: j.source, span: n.Bounds(), finding: j.rule.facts().Finding()}
	r.finding.Confidence, r.finding.Where = round(confidence), &place
	if g := j.rule.Gain; g.High > 0 {
		r.finding.Estimate = &finding.Estimate{SpeedupLow: g.Low, SpeedupHigh: g.High, Basis: g.Source}
	}
	j.reports = append(j.reports, r)
	return r
}

// Saying replaces the message; it is a clause without a full stop.
func (r *Report) Saying(format string, args ...any) *Report {
	r.finding.Message = fmt.Sprintf(format, args...)
	return r
}

// Advising replaces the rule's advice.
func (r *Report) Advising(format string, args ...any) *Report {
	r.finding.Advice = fmt.Sprintf(format, args...)
	return r
}

// Explaining replaces the rule's reason, for cases that cost for another one.
func (r *Report) Explaining(why string) *Report {
	r.finding.Why = why
	return r
}

// At replaces the rule's severity, for cases that are worse or milder than most.
func (r *Report) At(s Severity) *Report {
	r.finding.Severity = s
	return r
}

// Small marks a finding that is true and costs little, for this reason: a clause without a full stop. Only --all and trials
// that measure show it.
func (r *Report) Small(why string) *Report {
	r.finding.Small, r.finding.Severity, r.finding.Estimate = why, Advice, nil
	return r
}

// OfSwitch says that the finding is about what a switch leaves out.
func (r *Report) OfSwitch() *Report {
	r.ofSwitch = true
	return r
}

// OnlyWaits says that a finding of a rule about something else than waits costs nothing where the GPU has nothing to do.
func (r *Report) OnlyWaits() *Report {
	r.onlyWaits = true
	return r
}

// Waits says that what a finding of a rule about something else names waits for the GPU as well.
func (r *Report) Waits() *Report {
	r.waits = true
	return r
}

// beingLittle is Small where there is a reason for it.
func (r *Report) beingLittle(why string) *Report {
	if why != "" {
		r.Small(why)
	}
	return r
}

// sift sets apart what costs little: no other rule takes it for a reason.
func (j *judge) sift() {
	var large []*Report
	for _, r := range j.reports {
		if r.finding.Small == "" {
			r.beingLittle(j.rule.Little)
		}
		if r.finding.Small != "" {
			j.small = append(j.small, r)
		} else {
			large = append(large, r)
		}
	}
	j.reports = large
}

// Because adds evidence: a string, a project.Path (how the place is reached),
// a Value (where it is set), a Call or a node of the same file, a Step (of
// another file: see At), or an error.
func (r *Report) Because(facts ...any) *Report {
	for _, fact := range facts {
		if way, ok := fact.(project.Path); ok && way.Needs != nil {
			r.Small(leftOut(way.Needs))
		}
		for _, e := range r.evidence(fact) {
			r.add(e)
		}
	}
	return r
}

// Too names a further place that is at fault as the first one is.
func (r *Report) Too(at project.Step) *Report { return r.says(r.finding.Code, at) }

// says adds what a rule says of a further place.
func (r *Report) says(code string, at project.Step) *Report {
	place := location(at.Source, at.Span)
	r.add(finding.Evidence{Text: at.Text, Code: code, Location: &place})
	return r
}

// add keeps a piece of evidence once: several values may be said to come from one place.
func (r *Report) add(e finding.Evidence) {
	if !slices.ContainsFunc(r.finding.Evidence, e.SaysAs) {
		r.finding.Evidence = append(r.finding.Evidence, e)
	}
}

func leftOut(needs *project.Condition) string {
	return fmt.Sprintf("the defaults leave it out: it needs %s", needs)
}

// names reports whether the evidence so far has a place already.
func (r *Report) names(at project.Step) bool {
	place := location(at.Source, at.Span)
	return slices.ContainsFunc(r.finding.Evidence, func(e finding.Evidence) bool { return e.Location != nil && *e.Location == place })
}

// Fix adds a repair: all of its edits or none. Alternatives are several Fix calls,
// the best first. A value that cannot be set gives no edits, and then there is no
// repair. The safety is lowered to Unsafe when the finding is not certain.
func (r *Report) Fix(safety Safety, title string, edits ...patch.Edit) *Report {
	if r.source.Encoded {
		return r
	}
	kept := make([]patch.Edit, 0, len(edits))
	for _, e := range edits {
		if e.Path == "" {
			return r // the place where the value is set is not known
		}
		kept = append(kept, e)
	}
	if len(kept) > 0 {
		r.finding.Fixes = append(r.finding.Fixes, patch.Patch{Title: title, Safety: safety, Edits: kept})
	}
	return r
}

// Asking says which question of `analyze --what-if` predicts the fix that was given last, if it is not that of its rule.
func (r *Report) Asking(questions ...string) *Report {
	if n := len(r.finding.Fixes); n > 0 {
		r.finding.Fixes[n-1].Asks = questions
	}
	return r
}

// Recording says which part of a file the fix that was given last records as a CUDA graph.
func (r *Report) Recording(part *patch.Part) *Report {
	if n := len(r.finding.Fixes); n > 0 {
		r.finding.Fixes[n-1].Records = part
	}
	return r
}

// Observation is a fact about how a project trains, whether or not it is a fault.
type Observation struct {
	Topic string            `json:"topic"` // tokenisation, precision, optimizer, attention
	Text  string            `json:"text"`  // what the project does, in a sentence
	Where *finding.Location `json:"where,omitempty"`
}

// Observe states a fact about the project that is worth knowing even when it is fine.
func (j *judge) Observe(topic string, n Node, format string, args ...any) {
	o := Observation{Topic: topic, Text: fmt.Sprintf(format, args...)}
	if n != nil {
		place := location(j.source, n.Bounds())
		o.Where = &place
	}
	j.observations = append(j.observations, o)
}

func (r *Report) evidence(fact any) []finding.Evidence {
	at := func(text string, s *project.Source, span pysrc.Span) []finding.Evidence {
		place := location(s, span)
		return []finding.Evidence{{Text: text, Location: &place}}
	}
	switch fact := fact.(type) {
	case project.Path:
		if r.step == nil {
			r.step, r.way = fact.Root, &fact
		}
		var list []finding.Evidence
		for _, step := range fact.Explain() {
			list = append(list, at(step.Text, step.Source, step.Span)...)
		}
		return list
	case project.Step:
		return at(fact.Text, fact.Source, fact.Span)
	case Value:
		var list []finding.Evidence
		if o := fact.Origin; o.Source != nil && o.How > project.InPlace {
			list = at(o.How.String(), o.Source, o.Span)
		}
		if by := fact.Chosen(); by.Source != nil {
			list = append(list, at(by.How.String(), by.Source, by.Span)...)
		}
		return list
	case Node:
		return at("here", r.source, fact.Bounds())
	}
	return []finding.Evidence{{Text: fmt.Sprint(fact)}}
}

// round keeps two digits, so that a product of confidences prints well.
func round(confidence float64) float64 {
	return math.Round(min(max(confidence, 0), 1)*100) / 100
}

func location(s *project.Source, span pysrc.Span) finding.Location {
	p := s.Place(span)
	return finding.Location{
		Path: p.Path, Start: p.Start, End: p.End,
		Line: p.Line, Column: p.Column, EndLine: p.EndLine, EndColumn: p.EndColumn,
		Excerpt: p.Excerpt, Cell: p.Cell, InFile: p.InFile,
	}
}
