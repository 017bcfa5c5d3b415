package probe

import (
	"encoding/json"
	"path/filepath"

	"saturate/internal/files"
	"saturate/internal/finding"
	"saturate/internal/run"
)

// Kept is what a profile leaves in a Run besides its steps.
type Kept struct {
	Findings []finding.Finding
	Flame    run.Flame
}

// findingsFile is where a Run keeps the findings of its profile.
const findingsFile = "findings.json"

// KeepFindings saves the findings in a Run's folder.
func KeepFindings(dir string, found []finding.Finding) error {
	data, err := json.MarshalIndent(append([]finding.Finding{}, found...), "", "  ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(dir, findingsFile), append(data, '\n'))
}

// mostKept is how large a file of findings or stacks may be.
const mostKept = 32 << 20

// ReadKept reads what is there. What is missing or damaged is left out: other programs write Runs too.
func ReadKept(dir string) (kept Kept) {
	read := func(name string, into any) {
		if data, err := files.Read(filepath.Join(dir, name), mostKept); err == nil {
			_ = json.Unmarshal(data, into)
		}
	}
	read(findingsFile, &kept.Findings)
	read(run.FlameFile, &kept.Flame)
	return kept
}

// ReadOutcome is what a Run keeps of the program that made it: its facts and its ranks with their steps.
func ReadOutcome(r run.Run) Outcome {
	o := Outcome{Run: r}
	data, err := files.Read(filepath.Join(r.Dir, FactsFile), mostKept)
	if err != nil {
		return o
	}
	var told struct {
		Facts
		Ranks []Rank `json:"ranks"`
	}
	if json.Unmarshal(data, &told) != nil {
		return o
	}
	o.Facts = told.Facts
	for i, rank := range told.Ranks {
		rank.Steps = r.Steps
		if i > 0 {
			rank.Steps = r.StepsIn(rankFile(rank.Rank))
		}
		if len(rank.Steps) > 0 {
			o.Ranks = append(o.Ranks, rank)
		}
	}
	return o
}
