package report

// Outcome is what the command's exit code tells a script.
type Outcome int

const (
	Done      Outcome = iota // nothing to complain about
	Found                    // findings, a regression, a failed gate
	Undecided                // could not decide: inconclusive is not a pass
)
