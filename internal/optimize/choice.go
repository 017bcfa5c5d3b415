package optimize

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/rule"
)

// Of the candidates of one choice only one can be kept: the fixes of one finding, the optimizer's forms, the loader's
// counts of workers. Each is measured against the one that was kept before it, on the current best program.

// choiceOf names the choice that a repair belongs to.
func choiceOf(g group) string {
	switch {
	case g.id == offlineGroup.id || g.id == builtGroup.id:
		return "" // one builds on the other
	case g.id == loaderGroup.id:
		return loaderGroup.id
	}
	for _, code := range g.codes {
		if choice := rule.Find(code).Choice; choice != "" {
			return choice
		}
	}
	return strings.Join(g.codes, "+")
}

// swaps are the candidates that would replace a kept repair: they were planned earlier, and their findings have since
// disappeared.
func (p *protocol) swaps(list []Candidate, here *Baseline) (more []Candidate) {
	for _, kept := range p.kept() {
		if kept.Choice == "" {
			continue
		}
		for _, c := range p.state.Pool {
			planned := slices.ContainsFunc(list, func(x Candidate) bool { return x.ID == c.ID })
			if c.Choice != kept.Choice || c.ID == kept.ID || planned || p.wasKept(c.ID) {
				continue
			}
			c.Instead = kept.Tree
			switch {
			case sameQuestion(c, kept.Candidate): // a trace of the program with one of them tells nothing about the other
				c.Saves, c.Predicted = kept.short(), nil
				c.Reason = "another form of " + kept.ID + ", which gained less than predicted"
			case here.forecast(c) == nil && c.Predicted != nil && kept.Predicted != nil: // a trace told both, of the program without them
				c.Saves = beyond(c.Saves, kept.Saves)
			default:
				here.estimate(&c)
			}
			more = append(more, c)
		}
	}
	return more
}

// insteadOf is the kept repair whose place a candidate would take; "" if it would take none.
func (p *protocol) insteadOf(c Candidate) string {
	for _, kept := range p.kept() {
		if c.Instead != "" && kept.Tree == c.Instead {
			return kept.ID
		}
	}
	return ""
}

// sameQuestion reports whether the predictions for two candidates come from the same question to a trace.
func sameQuestion(a, b Candidate) bool {
	one, two := asksOf(a), asksOf(b)
	return len(one) > 0 && slices.Equal(one, two)
}

// short is the share of its step by which a kept repair missed the slow end of its prediction; a small default if
// nothing was predicted.
func (r Rung) short() float64 {
	if r.Predicted == nil || !r.After.Finite() || r.After <= 0 {
		return 1 - 1/unknownGain
	}
	return max(0, 1-r.Predicted.High/float64(r.After))
}

// refuted is the factor for a prediction that did not come true for another form of the same repair.
const refuted = 0.25

// doubt lowers the expected saving of a candidate if the same prediction for another candidate of its choice did not
// come true.
func (p *protocol) doubt(c *Candidate, here *Baseline) {
	for _, r := range p.state.Rungs {
		if r.ID != c.ID && r.Choice == c.Choice && c.Choice != "" && (r.Decision == Useless || r.Decision == Harmful) && r.Bound == here.bound() && sameQuestion(*c, r.Candidate) {
			c.Saves *= refuted
			return
		}
	}
}

// beyond is what a repair would save in addition to another that was already kept and saves that much.
func beyond(saves, kept float64) float64 {
	if kept >= 1 {
		return 0
	}
	return max(0, 1-(1-saves)/(1-kept))
}

// wasKept reports whether a repair was kept at some time, though another may have taken its place.
func (p *protocol) wasKept(id string) bool {
	return slices.ContainsFunc(p.state.Rungs, func(r Rung) bool {
		return r.ID == id && (r.Decision == Kept || r.Decision == Superseded)
	})
}

// pool remembers candidates for swaps.
func (p *protocol) pool(list []Candidate) {
	for _, c := range list {
		if c.Choice != "" && !slices.ContainsFunc(p.state.Pool, func(x Candidate) bool { return x.ID == c.ID }) {
			p.state.Pool = append(p.state.Pool, c)
		}
	}
}

// workerCounts are the numbers of workers worth trying around the one that is needed: that one, twice as many and half
// as many, one and all cores, never more than the cores.
func workerCounts(need, cores int) (list []int) {
	need = min(max(1, need), max(1, cores))
	for _, n := range []int{need, 2 * need, need / 2, cores} {
		if n >= 1 && n <= max(1, cores) && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for n := 1; need == 1 && n <= cores; n *= 2 { // all that can be asked for
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// needed is the number of workers that prepare a batch in the time of the rest of a step; 0 if the cost of a sample is
// unknown.
func (b *Baseline) needed() int {
	rest := b.SecondsPerStep * (1 - b.Shares.Data)
	if b.Making <= 0 || b.SamplesPerStep <= 0 || rest <= 0 {
		return 0
	}
	const room = 1.1 // for the cores that workers share
	return int(room*b.Making*b.SamplesPerStep/rest) + 1
}

// loaders are the worker counts to choose from. If the cost of a sample is unknown, these are the rule's own count and
// then all cores.
func (p *protocol) loaders(c Candidate, found []finding.Finding, here *Baseline) []Candidate {
	if !slices.ContainsFunc(found, setsWorkers) {
		c.Title = doing(found)
		return []Candidate{c}
	}
	if here.Cores == 0 {
		return []Candidate{c}
	}
	var list []Candidate
	for _, n := range p.counts(here) {
		one := c // named by its count: which one is needed changes with the step
		one.ID, one.Workers, one.Title = fmt.Sprintf("%s/%d", c.ID, n), n, fmt.Sprintf("%s (%s)", c.Title, human.Plural(n, "worker"))
		list = append(list, one)
	}
	return list
}

// doing says what the first repairs of findings do, each once.
func doing(found []finding.Finding) string {
	var titles []string
	for _, f := range found {
		if len(f.Fixes) > 0 && !slices.Contains(titles, f.Fixes[0].Title) {
			titles = append(titles, f.Fixes[0].Title)
		}
	}
	return human.And(titles)
}

// counts are the worker counts to choose from on this machine, the one that the measured cost of a sample asks for
// first.
func (p *protocol) counts(here *Baseline) []int {
	need := here.needed()
	if need == 0 {
		need = max(1, min(8, here.Cores/2))
	}
	list := workerCounts(need, here.Cores)
	return list[:min(len(list), mostCounts)]
}

// mostCounts is how many worker counts are tried.
const mostCounts = 3

// workersText is how a rule counts workers by the cores of whatever machine trains.
var workersText = regexp.MustCompile(`max\(1, min\(8, .*?// 2(?: // int\(.*?\)\))?\)\)`)

// settleWorkers writes a count of workers into a loader's repair.
func settleWorkers(fix patch.Patch, code string, workers int) *patch.Patch {
	if workers == 0 || !rule.Find(code).SetsWorkers {
		return &fix
	}
	edits, written := []patch.Edit{}, false
	for _, e := range fix.Edits {
		switch text := workersText.ReplaceAllString(e.Text, fmt.Sprint(workers)); {
		case text != e.Text:
			e.Text, written = text, true
		case e.Text == rule.SettledWorkers:
			e.Text = fmt.Sprint(workers)
		}
		edits = append(edits, e)
	}
	if written { // what counted the cores is not needed
		edits = slices.DeleteFunc(edits, func(e patch.Edit) bool { return e.Start == e.End && strings.TrimSpace(e.Text) == "import os" })
	}
	fix.Edits = edits
	return &fix
}
