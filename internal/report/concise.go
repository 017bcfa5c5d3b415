package report

import (
	"bytes"
	"fmt"

	"saturate/internal/human"
)

// renderConcise writes one line a finding, as compilers and linters do, and the summary last. A star marks what comes
// with a repair.
func renderConcise(r Report, _ Options) ([]byte, error) {
	var b bytes.Buffer
	for _, f := range r.Findings {
		star := ""
		if len(f.Fixes) > 0 {
			star = "[*] "
		}
		at := place(f)
		if at != "" {
			at += ": "
		}
		fmt.Fprintf(&b, "%s%s %s%s\n", at, human.Line(f.Code), star, human.Line(f.Message))
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", human.Line(w))
	}
	for _, s := range r.Summary {
		fmt.Fprintln(&b, human.Line(s))
	}
	return b.Bytes(), nil
}
