package tune

import (
	"encoding/json"
	"fmt"
	"slices"

	"saturate/internal/human"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

// State is whether a setting took effect when it was read back.
type State string

const (
	InEffect    State = "yes"
	NotInEffect State = "no"
	Overwritten State = "no longer" // it was, until the program set the same to something else
	unreadable  State = "not readable"
	NotReached  State = "not reached"    // the library was not imported, or nothing that it is about happened
	ByProgram   State = "by the program" // it does the same itself, and nothing was left to do
	Failed      State = "failed"         // it could not be applied
	NotLooked   State = "not checked"    // the program was not run with it
)

// Line is a setting and what became of it.
type Line struct {
	Name       string            `json:"name"`                   // of the setting
	Title      string            `json:"title"`                  // what the setting does
	Level      int               `json:"level"`                  // 0 safe, 1 by the hardware, 2 only where it is measured
	Used       bool              `json:"used"`                   // the program ran with it in the end
	Dropped    string            `json:"dropped,omitempty"`      // why it was not, although it was chosen
	Requested  string            `json:"requested"`              // what was asked for
	State      State             `json:"in_effect"`              // read back
	Applied    string            `json:"read_applied"`           // the value right after it was set
	AtEnd      string            `json:"read_end"`               // the value when the program ended
	Acts       string            `json:"acts,omitempty"`         // what its effect probe saw
	Problem    string            `json:"problem,omitempty"`      // why it is not in effect, where that is known
	Effect     *Effect           `json:"effect,omitempty"`       // nil: not measured
	Together   bool              `json:"together,omitempty"`     // Effect is of all settings of levels 0 and 1 together
	Unmeasured string            `json:"not_measured,omitempty"` // why not
	Numerics   setting.Numerics  `json:"numerics"`               // what the setting does to results
	Guard      verify.GuardState `json:"guard"`                  // what the accuracy guard says; unchecked where nothing was measured
	Cost       string            `json:"cost,omitempty"`         // what may become worse
	Live       bool              `json:"live,omitempty"`         // the control file can change it
	Hooked     bool              `json:"-"`                      // it changes what the program does, when it does it
}

// Dead is a knob that torch accepts and nobody reads, which the program sets.
type Dead struct {
	Knob    string `json:"knob"`    // name of the knob
	Value   string `json:"value"`   // that the program sets
	Instead string `json:"instead"` // what to set instead
}

// Change is what the control file asked for while the program ran.
type Change struct {
	Setting   string `json:"setting"`             // name of the setting
	Requested string `json:"requested"`           // value that was asked for
	Read      string `json:"read"`                // value that was read back
	InEffect  *bool  `json:"in_effect,omitempty"` // the program has the value; missing where it cannot be read
	Problem   string `json:"problem,omitempty"`   // why it is not in effect
}

// changes are those that the control file asked for, in order.
func changes(all []setting.Observation) []Change {
	var list []Change
	for _, o := range all {
		if o.When == "changed" {
			list = append(list, Change{o.Setting, shown(o.Requested), shown(o.Read), o.InEffect, o.Error})
		}
	}
	return list
}

func lineOf(c setting.Choice) Line {
	return Line{
		Name: c.Name, Title: c.Title, Level: c.Level, Requested: c.Requested(), State: NotLooked,
		Numerics: c.Numerics, Guard: verify.NotChecked, Cost: c.Cost, Live: c.Live,
		Hooked: c.Ways[0].Hook != "",
	}
}

// deadKnobs are the knobs without effect that the program sets, each once.
func deadKnobs(all []setting.Observation) []Dead {
	var dead []Dead
	for _, o := range all {
		d := Dead{o.Dead, shown(o.Value), o.Instead}
		if o.Dead != "" && !slices.Contains(dead, d) {
			dead = append(dead, d)
		}
	}
	return dead
}

// shown is a value as a table has it.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// list names things in a sentence.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return human.And(names)
}
