package agent

import (
	_ "embed"
	"encoding/json"
	"math"

	"saturate/internal/human"
	"saturate/internal/optimize"
)

//go:embed task.md
var taskWords string

// known is what the task tells an agent about the program. Its strings come from programs and files.
type known struct {
	Command []string `json:"command"`
	StepMS  float64  `json:"step_ms"`
	Summary string   `json:"summary"`
	Parts   []part   `json:"parts,omitempty"` // of a step
	Left    []left   `json:"left"`            // the most first
	Tried   []tried  `json:"tried"`
}

type part struct {
	Name string  `json:"name"`
	MS   float64 `json:"ms"`
}

type left struct {
	What     string   `json:"what"`
	Where    string   `json:"where,omitempty"`
	Why      string   `json:"why_not_done"`
	Evidence []string `json:"evidence,omitempty"`
	Saves    float64  `json:"saves_percent_of_step"` // at most, or as predicted
	Advice   []string `json:"advice,omitempty"`
}

type tried struct {
	What     string `json:"what"`
	Decision string `json:"decision"`
	Because  string `json:"because"`
}

const (
	mostLeft  = 12
	mostTried = 30
)

// taskText is what an agent reads: instructions of ours, then what was measured, as JSON.
func taskText(t optimize.Task) (string, error) {
	k := known{
		StepMS: toMS(t.Here.SecondsPerStep), Summary: human.Data(t.Here.Sentence, 400),
		Command: list(t.Command, 200), Left: []left{}, Tried: []tried{},
	}
	for _, p := range t.Here.Parts {
		k.Parts = append(k.Parts, part{human.Data(p.Name, 60), toMS(p.Seconds)})
	}
	for _, l := range t.Left[:min(len(t.Left), mostLeft)] {
		k.Left = append(k.Left, left{
			human.Data(l.Title, 200), human.Data(l.Where, 200), human.Data(l.Why, 300), list(l.Evidence,
				300), math.Round(1000*l.Saves) / 10, list(l.Advice, 400),
		})
	}
	for _, r := range t.Tried[max(0, len(t.Tried)-mostTried):] {
		k.Tried = append(k.Tried, tried{human.Data(r.ID+": "+r.Title, 200), string(r.Decision), human.Data(r.Because, 300)})
	}
	data, err := json.MarshalIndent(k, "", "  ")
	return taskWords + "\n```json\n" + string(data) + "\n```\n", err
}

func list(in []string, most int) (out []string) {
	for _, s := range in {
		out = append(out, human.Data(s, most))
	}
	return out
}

func toMS(seconds float64) float64 { return math.Round(1e6*seconds) / 1e3 }
