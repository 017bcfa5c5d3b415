package optimize

import (
	"cmp"
	"fmt"
	"slices"

	"saturate/internal/human"
	"saturate/internal/rule"
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
	for _, c := range list {
		why := "predicted to save too little"
		if c.Saves >= worth {
			why = "not tried: " + p.result.End.Text
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
		out = append(out, l)
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
	out = append(out, p.parts(here)...)
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

// parts are the parts of a step in which the GPU does not compute.
func (p *protocol) parts(here *Baseline) (out []Left) {
	host := "the GPU is idle, but not waiting for data"
	if !here.GPU {
		host = "program code other than data, copies and the model"
	}
	for _, part := range []struct {
		id, title string
		share     float64
	}{
		{"data", "waiting for data", here.Shares.Data},
		{"transfer", "copying batches to the device", here.Shares.Transfer},
		{"host", host, here.Shares.Host},
		{"apart", "evaluations and checkpoints between the steps", here.Shares.Apart},
		{"workers", "data workers on the cores that the model computes on", here.Shares.Workers},
	} {
		if part.share >= leastPart {
			out = append(out, Left{
				ID: part.id, Title: part.title, Why: "no known fix removes it", Saves: part.share,
				Evidence: []string{fmt.Sprintf("%.0f%% of a step", 100*part.share), here.Sentence},
			})
		}
	}
	return out
}
