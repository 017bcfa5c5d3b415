package probe

import (
	"encoding/json"
	"os"
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

// ReadKept reads what is there. What is missing or damaged is left out: other programs write Runs too.
func ReadKept(dir string) (kept Kept) {
	read := func(name string, into any) {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			_ = json.Unmarshal(data, into)
		}
	}
	read(findingsFile, &kept.Findings)
	read(run.FlameFile, &kept.Flame)
	return kept
}
