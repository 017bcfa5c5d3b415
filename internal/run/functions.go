package run

// Function is a function that training spends its time in, as seen by looking at the stack again and again.
type Function struct {
	Function string  `json:"function"`          // of the project where one is at work: BPE.encode
	Path     string  `json:"path"`              // as seen from the folder of the run; a library's from where libraries are installed
	Line     int     `json:"line"`              // the one that costs most in it
	Share    float64 `json:"share"`             // of the time inside, with what it calls
	Own      float64 `json:"own"`               // the same, without other functions of the project
	Training float64 `json:"training"`          // Share of the whole time of training
	Inside   string  `json:"inside"`            // data, evaluation, checkpoint, logging, host
	Library  string  `json:"library,omitempty"` // the function of a library that most of Share is spent in
	Entry    bool    `json:"entry,omitempty"`   // all that is inside begins here: evaluate, save_checkpoint
}

// Flame is a call with what it calls, and the seconds it was seen for.
type Flame struct {
	Name    string  `json:"name"`
	Path    string  `json:"path,omitempty"`
	Line    int     `json:"line,omitempty"`
	Library bool    `json:"library,omitempty"` // it is not the project's
	Seconds float64 `json:"s"`
	Calls   []Flame `json:"calls,omitempty"` // the largest first
}

// FlameFile is where a Run keeps its Flame.
const FlameFile = "stacks.json"
