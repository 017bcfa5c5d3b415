package repair

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/rule"
)

// settleWorkers writes how many processes shall load data where a settings file or an option's default holds a number:
// half the cores, at most 8, as Python's own code counts them elsewhere. A finding does not depend on the machine.
func settleWorkers(found []finding.Finding, cores int) {
	if cores == 0 {
		return
	}
	count := fmt.Sprint(max(1, min(8, cores/2)))
	because := fmt.Sprintf("; this machine has %s: half of them, at most 8", human.Plural(cores, "CPU core"))
	for i := range found {
		if !rule.Find(found[i].Code).SetsWorkers {
			continue
		}
		found[i].Fixes = slices.Clone(found[i].Fixes)
		for j, fix := range found[i].Fixes {
			fix.Edits = slices.Clone(fix.Edits)
			for k := range fix.Edits {
				if fix.Edits[k].Text == rule.SettledWorkers {
					fix.Edits[k].Text = count
					fix.Title = strings.Replace(fix.Title, rule.UsualWorkers, because, 1)
				}
			}
			found[i].Fixes[j] = fix
		}
	}
}
