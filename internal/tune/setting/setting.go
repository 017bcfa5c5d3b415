package setting

import (
	"fmt"
	"slices"
	"strings"
)

// Levels of settings, as the user asks for them.
const (
	Safe     = 0 // no precision is given up, no search
	Hardware = 1 // chosen by what the hardware and the libraries can do
	Measured = 2 // worth it for some programs only: a candidate, to be measured
)

// Numerics says what a setting does to results.
type Numerics string

const (
	Same     Numerics = "same"     // bit for bit
	Rounding Numerics = "rounding" // the same precision in another order of operations
	Changed  Numerics = "changed"  // less precision
)

// Setting is one thing that can be set. Everything about it is data.
type Setting struct {
	Name     string   `json:"name"`               // cudnn-benchmark
	Title    string   `json:"title"`              // what it does, a few words
	Backends []string `json:"backends"`           // cuda, rocm, mps, cpu
	Library  string   `json:"library"`            // torch or jax: what has to be importable; empty when any program gains
	Level    int      `json:"level"`              // 0 safe, 1 by the hardware, 2 only where it is measured
	Group    string   `json:"group,omitempty"`    // of the settings of a group at most one is used
	Needs    []string `json:"needs,omitempty"`    // conditions on the Machine: "compute_capability >= 8.0"
	Smallest int      `json:"smallest,omitempty"` // parameters of a model below which it is not worth it
	Ways     []Way    `json:"ways"`               // the first whose conditions hold and that the library knows is used
	Effect   *Effect  `json:"effect,omitempty"`
	Numerics Numerics `json:"numerics"`        // what it does to results
	Live     bool     `json:"live,omitempty"`  // may change while the program runs
	Final    bool     `json:"final,omitempty"` // cannot be taken back while the program runs
	Cost     string   `json:"cost,omitempty"`  // what may become worse
	Source   string   `json:"source"`          // where it is documented or implemented
}

// Way is how a setting is applied and read back with certain versions.
type Way struct {
	When  []string   `json:"when,omitempty"`  // conditions on versions
	Env   []Variable `json:"env,omitempty"`   // before the program starts
	Knobs []Knob     `json:"knobs,omitempty"` // from the inside, after the import
	Hook  string     `json:"hook,omitempty"`  // a function of saturate_tune that wraps something
	Value any        `json:"value,omitempty"` // what the hook gets
	Hand  string     `json:"hand,omitempty"`  // what to do by hand instead of the hook, in words: it is about things that the program makes
	Start string     `json:"start,omitempty"` // or what to start the program with; {value} is the hook's
}

// Variable is set before the program starts. What the user has there himself stands; where several
// things share a variable, Join puts ours behind his, unless his has the Key.
type Variable struct {
	Name  string `json:"name"`           // of the environment variable
	Value string `json:"value"`          // that it gets
	Join  string `json:"join,omitempty"` // what stands between the user's value and ours
	Key   string `json:"key,omitempty"`  // where the user's value has it, ours is left out

	Rivals []string `json:"rivals,omitempty"` // other variables for the same thing: where the user has one, it stands
}

// Knob is an attribute or, with a name that ends in (), a function of the library.
// One without Set only reads back what a variable or a hook has done.
type Knob struct {
	Set   string `json:"set,omitempty"`  // the attribute or function
	Value any    `json:"value"`          // as it reads back
	Pass  any    `json:"pass,omitempty"` // what is passed, where that differs from Value
	Get   string `json:"get,omitempty"`  // Python that reads it; Set when empty
}

// Effect is a probe that sees whether the machine behaves as the setting says.
type Effect struct {
	Probe  string `json:"probe"`            // a function of saturate_tune
	Args   []any  `json:"args,omitempty"`   // "=cores" is a fact, "*variables" the names of the variables that were set
	Active bool   `json:"active,omitempty"` // puts work on the device: only where nothing is disturbed by it
	Says   string `json:"says"`             // what it looks at
}

// All is the table.
func All() []Setting {
	return slices.Concat(onCUDA, onROCm, onMPS, onCPU, onJAX)
}

// Find is the setting of a name.
func Find(name string) (Setting, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// Problem is why a setting that somebody else wrote cannot be used, as the end of a sentence; "" when it can.
func (s Setting) Problem() string {
	if s.Level < Safe || s.Level > Measured {
		return fmt.Sprintf("has level %d; use 0, 1 or 2", s.Level)
	}
	if len(s.Ways) == 0 {
		return "has no way to set it"
	}
	for _, w := range s.Ways {
		if len(w.Env) == 0 && len(w.Knobs) == 0 && w.Hook == "" {
			return "has a way that sets nothing; add env, knobs or a hook"
		}
		for _, v := range w.Env {
			if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
				return fmt.Sprintf("sets an invalid variable: %q=%q", v.Name, v.Value)
			}
		}
		for _, k := range w.Knobs {
			library, _, _ := strings.Cut(k.Set, ".")
			if slices.Contains([]string{"torch", "jax"}, library) && s.Library != library {
				return fmt.Sprintf("sets %s, so its library must be %s", k.Set, library)
			}
		}
	}
	return ""
}

// NeedsGuard reports that results have to be compared before the setting is kept.
func (s Setting) NeedsGuard() bool { return s.Numerics != Same }

// Observation is what saturate_tune reports of one setting, one JSON object each.
type Observation struct {
	Setting   string `json:"setting"`
	When      string `json:"when"` // applied, changed (by the control file), exit; checked and undone in Check
	Requested any    `json:"requested"`
	Read      any    `json:"read"`      // what was read back
	InEffect  *bool  `json:"in_effect"` // nil: it cannot be read
	Effect    any    `json:"effect"`    // what the probe saw, in a few words; nil: not looked
	Acts      *bool  `json:"acts"`      // whether the probe saw the setting act; nil: it could not tell
	Theirs    bool   `json:"theirs"`    // the program does the same itself, and nothing was left to do
	Error     string `json:"error,omitempty"`

	Dead    string `json:"dead,omitempty"` // instead of Setting: a knob without effect that the program has set
	Value   any    `json:"value,omitempty"`
	Instead string `json:"instead,omitempty"`
}
