package probe

import "encoding/json"

// Tuning makes a program's Python apply settings, and tell which of them took effect. It travels in a variable, so that
// whoever runs programs with further variables, as verify does, runs tuned ones too.
type Tuning struct {
	Module  string          `json:"module"`            // the Python file that applies settings: see py/saturate_probe/tuning.py
	Plan    json.RawMessage `json:"plan"`              // for its start
	Results bool            `json:"results,omitempty"` // an inference tells the mean magnitude of its result as its loss, so that results can be compared
}

// tuningVariable is the name of the variable that holds a Tuning.
const tuningVariable = "SATURATE_TUNING"

// Variable is what the program has to start with.
func (t Tuning) Variable() (string, error) {
	text, err := json.Marshal(t)
	return tuningVariable + "=" + string(text), err
}

// reports are what the module of a Tuning has told, in the process that made the steps: where that is silent, as one
// that another has forked can be, in the one that told most.
func (f *follower) reports() []json.RawMessage {
	if f.main != nil && len(f.main.reports) > 0 {
		return f.main.reports
	}
	var best *teller
	for _, t := range f.tellers {
		if best == nil || len(t.reports) > len(best.reports) || len(t.reports) == len(best.reports) && t.pid < best.pid {
			best = t
		}
	}
	if best == nil {
		return nil
	}
	return best.reports
}
