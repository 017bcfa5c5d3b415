package optimize

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/rule"
	"saturate/internal/run"
)

// Left is a possible gain that remains: a repair that was not worth trying or was dropped, a finding without a repair,
// or a part of the step that no rule covers.
type Left struct {
	ID       string    `json:"id"`                 // of a candidate, the code of a finding, or the part of a step
	Title    string    `json:"title"`              // what could be done
	Where    string    `json:"where,omitempty"`    // path:line
	Why      string    `json:"why"`                // it was not done
	Evidence []string  `json:"evidence,omitempty"` // what was measured
	Saves    float64   `json:"saves"`              // of the step, at most or as predicted
	Forecast *Forecast `json:"predicted,omitempty"`
	Advice   []string  `json:"advice,omitempty"` // what to do, one sentence each
}

// leastPart is the share of a step from which a part is worth a line of its own.
const leastPart = 0.05

// left lists the gains that remain, the largest first.
func (p *protocol) left(here *Baseline, list []Candidate) (out []Left) {
	var shown []Candidate
	for _, c := range list {
		kept := p.insteadOf(c)
		if kept != "" && p.waits(c, list, here) {
			continue // the kept fix does the same and more, so its gain cannot be had again
		}
		why := "predicted to save too little"
		if c.Saves >= worth {
			why = "not tried: " + p.result.End.Text
			if kept != "" {
				why = "not tried in place of " + kept + ": " + p.result.End.Text
			}
			if p.result.End.Reason == EndBudget {
				why += fmt.Sprintf(" (it takes about %s)", human.Duration(p.cost(c, here)))
			}
		}
		slower := false
		for _, r := range p.state.Rungs {
			if r.ID == c.ID {
				why, slower = string(r.Decision)+": "+r.Because, r.Ratio >= 1 && r.Bound == here.bound()
			}
		}
		if c.Saves < worth/2 || slower {
			continue
		}
		l := Left{ID: c.ID, Title: c.Title, Why: why, Saves: c.Saves, Forecast: c.Predicted, Evidence: []string{c.Reason}}
		if len(c.Places) > 0 {
			l.Where = c.Places[0]
		}
		out, shown = append(out, l), append(shown, c)
	}
	for _, h := range p.result.ByHand {
		l := Left{ID: h.Finding.Code, Title: h.Finding.Message, Why: h.Reason, Advice: h.Advice, Saves: here.mayShorten(*ruleOf(h.Finding.Code))}
		if h.Finding.Where != nil {
			l.Where = h.Finding.Where.Short()
		}
		for _, e := range h.Finding.Evidence {
			l.Evidence = append(l.Evidence, e.Text)
		}
		out = append(out, l)
	}
	out = append(out, p.parts(here, shown)...)
	slices.SortStableFunc(out, func(a, b Left) int { return cmp.Compare(b.Saves, a.Saves) })
	return out
}

// mayShorten is the share of a step that a rule is about; 0 if this run cannot tell, because the rule is about several
// GPUs, about one and the program used none, or about some of what the model computes.
func (b *Baseline) mayShorten(r rule.Rule) float64 {
	if r.Subject == rule.AboutRanks || r.NeedsGPU && !b.GPU || slices.Contains(r.Areas, rule.ComputeArea) {
		return 0
	}
	return min(1, b.Shares.of(r.Areas...))
}

// parts are the parts of a step in which the GPU does not compute, if no fix that is shown as left is about as much.
func (p *protocol) parts(here *Baseline, shown []Candidate) (out []Left) {
	host := "the GPU is idle, but not waiting for data"
	if !here.GPU {
		host = "program code other than data, copies and the model"
	}
	for _, part := range []struct {
		id, title string
		share     float64
		area      finding.Area
	}{
		{"data", "waiting for data", here.Shares.Data, finding.DataArea},
		{"transfer", "copying batches to the device", here.Shares.Transfer, finding.TransferArea},
		{"host", host, here.Shares.Host, finding.HostArea},
		{"apart", "evaluations and checkpoints between the steps", here.Shares.Apart, finding.ApartArea},
		{"workers", "data workers on the cores that the model computes on", here.Shares.Workers, finding.WorkersArea},
	} {
		listed := slices.ContainsFunc(shown, func(c Candidate) bool { return c.about(part.area) && c.Saves >= mostOf*part.share })
		if part.share < leastPart || listed {
			continue
		}
		l := Left{
			ID: part.id, Title: part.title, Why: "no known fix removes it", Saves: part.share,
			Evidence: []string{fmt.Sprintf("%.0f%% of a step", 100*part.share), here.Sentence},
		}
		if part.area == finding.DataArea || part.area == finding.WorkersArea {
			l.Advice = here.onSamples()
		}
		out = append(out, l)
	}
	return out
}

// mostOf is how much of a part a fix has to be about to stand for it.
const mostOf = 0.8

// about reports whether a candidate shortens an area.
func (c Candidate) about(area finding.Area) bool {
	if c.ID == offlineGroup.id || c.ID == builtGroup.id {
		return slices.Contains(offlineGroup.areas, area)
	}
	return slices.ContainsFunc(c.Codes, func(code string) bool { return slices.Contains(areasOf(code), area) })
}

// manySamples is the size of a batch from which putting it together sample by sample is what takes the time.
const manySamples = 128

// onSamples is what to do about the time that samples take: by what the program was seen to do meanwhile.
func (b *Baseline) onSamples() []string {
	loader, most := 0.0, run.Function{}
	for _, f := range b.Costs {
		if f.Inside != "data" {
			continue
		}
		if strings.HasPrefix(f.Path, "torch/utils/data/") || strings.HasPrefix(f.Path, "<frozen") {
			loader += f.Own
		} else if f.Own > most.Own {
			most = f
		}
	}
	switch {
	case loader > 0.5 && b.SamplesPerStep >= manySamples:
		return []string{fmt.Sprintf("The loader spends %s of this time fetching and collating %s one by one. Give the dataset a __getitems__ that indexes a whole batch of tensors, and return it from collate_fn as it is.",
			human.Percent(loader), human.Plural(int(b.SamplesPerStep), "sample"))}
	case most.Own > 0.5:
		return []string{fmt.Sprintf("%s of the time for a sample is spent in %s (%s:%d).", human.Percent(most.Own), most.Function, most.Path, most.Line)}
	}
	return nil
}
