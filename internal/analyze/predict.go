package analyze

import (
	"cmp"
	"errors"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/whatif"
)

// predictions says what the repairs of the findings would bring: each alone, and the best of them together, the
// shortest step first. What the user asked for comes before all.
func (v *view) predictions(found []finding.Finding) (out []whatif.Prediction, err error) {
	out = []whatif.Prediction{}
	if v.graph == nil || v.account.unreliable() {
		if len(v.opt.Ask) > 0 {
			return nil, errors.New("--what-if needs a trace with GPU work that is whole")
		}
		return out, nil
	}
	model, err := v.graph.NewModel(v.stepMean(), v.opt.Untraced)
	if err != nil {
		return nil, err
	}
	v.model = model
	var candidates []whatif.Repair
	codes := map[string][]string{}
	for _, f := range found {
		for _, r := range finding.Lookup(f.Code) {
			for _, question := range r.WhatIf {
				if codes[question] == nil {
					set, err := whatif.Ask(question)
					if err != nil {
						panic(err) // a test asks all questions of the catalogue
					}
					candidates = append(candidates, set...)
				}
				if !slices.Contains(codes[question], f.Code) {
					codes[question] = append(codes[question], f.Code)
				}
			}
		}
	}
	var useful []whatif.Repair
	for _, r := range candidates {
		p, err := model.Predict([]whatif.Repair{r})
		if err != nil {
			continue // there is nothing that it changes
		}
		p.Rules = codes[r.Name()]
		useful, out = append(useful, r), append(out, p)
	}
	slices.SortStableFunc(out, func(a, b whatif.Prediction) int { return cmp.Compare(shortest(a), shortest(b)) })
	if best := model.Best(useful); len(best) > 1 {
		if p, err := model.Predict(best); err == nil {
			for _, r := range best {
				p.Rules = append(p.Rules, codes[r.Name()]...)
			}
			slices.Sort(p.Rules)
			p.Rules = slices.Compact(p.Rules)
			out = slices.Insert(out, 0, p)
		}
	}
	if len(v.opt.Ask) > 0 {
		p, err := model.Predict(v.opt.Ask)
		if err != nil {
			p.Note = err.Error()
		}
		p.Asked = true
		out = slices.Insert(out, 0, p)
	}
	return out, nil
}

// answers predicts each repair of Options.Each on top of Options.Ask, in place of one that answers the same question.
func (v *view) answers() (out []whatif.Prediction) {
	if v.model == nil {
		return nil
	}
	for _, r := range v.opt.Each {
		others := slices.DeleteFunc(slices.Clone(v.opt.Ask), func(o whatif.Repair) bool { return o.Key == r.Key })
		p, err := v.model.Predict(append(others, r))
		if err != nil {
			p.Note = err.Error()
		}
		out = append(out, p)
	}
	return out
}

// shortest orders predictions; of those with bounds alone the upper one counts.
func shortest(p whatif.Prediction) int64 {
	if p.Known() {
		return p.StepNS
	}
	return p.IntervalNS[1]
}

// stepMean is the mean step; without steps, the time that the graph covers.
func (v *view) stepMean() float64 {
	if len(v.steps) == 0 {
		return v.replayed.HostMean()
	}
	var sum float64
	for _, s := range v.steps {
		sum += float64(s.window.Length())
	}
	return sum / float64(len(v.steps))
}

// From is what predictions start from.
type From struct {
	StepNS     int64   `json:"step_ns"`     // the mean step now: unrecorded where that is known
	Calibrated bool    `json:"calibrated"`  // by the time of an unrecorded step
	HostFactor float64 `json:"host_factor"` // by which recorded host times are multiplied
	// Roofs is the Run or file in which bench measured what the GPU reaches; missing where its maker's figures count.
	Roofs string `json:"roofs,omitempty"`
}

func (v *view) predictedFrom() *From {
	if v.model == nil {
		return nil
	}
	from := &From{StepNS: int64(v.model.Step()), Calibrated: v.model.Calibrated(), HostFactor: v.model.HostFactor()}
	if v.opt.Roofs != nil {
		from.Roofs = v.opt.Roofs.From
	}
	return from
}
