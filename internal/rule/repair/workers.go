package repair

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/rule"
)

// addedWorkers is a setting that a repair adds to a file: dataloader_num_workers: 4.
var addedWorkers = regexp.MustCompile(`(workers["']?\s*[:=]\s*)` + rule.SettledWorkers + `\b`)

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
				text := addedWorkers.ReplaceAllString(fix.Edits[k].Text, "${1}"+count)
				if text == rule.SettledWorkers {
					text = count
				}
				if fix.Edits[k].Text != text || text == count {
					fix.Edits[k].Text, fix.Title = text, strings.Replace(fix.Title, rule.UsualWorkers, because, 1)
				}
			}
			found[i].Fixes[j] = fix
		}
	}
}
