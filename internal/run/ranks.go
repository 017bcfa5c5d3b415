package run

import (
	"path/filepath"

	"saturate/internal/files"
)

// OtherRanks are the steps of the job's further processes, which lie beside those of the first. A file that cannot be
// read is left out.
func (r Run) OtherRanks() (ranks [][]Step) {
	for _, a := range r.Artefacts {
		if a.Kind != "steps" {
			continue
		}
		if steps := r.StepsIn(a.Path); len(steps) > 0 {
			ranks = append(ranks, steps)
		}
	}
	return ranks
}

// StepsIn are the steps in a file of the Run's folder; none where it cannot be read.
func (r Run) StepsIn(path string) []Step {
	file, err := files.Open(filepath.Join(r.Dir, path))
	if err != nil {
		return nil
	}
	defer file.Close()
	steps, _, err := ImportSteps(file)
	if err != nil {
		return nil
	}
	return steps
}

// Together are the steps of the first rank with the samples of all ranks: what the job does in each step. A rank that
// did not tell of a step, as when the job is ended, counts like the average of those that did.
func Together(first []Step, others [][]Step) []Step {
	if len(others) == 0 {
		return first
	}
	samples, told := map[int]float64{}, map[int]int{}
	for _, steps := range append([][]Step{first}, others...) {
		for _, s := range steps {
			if s.Samples > 0 {
				samples[s.Index] += s.Samples
				told[s.Index]++
			}
		}
	}
	job := make([]Step, len(first))
	for i, s := range first {
		if s.Samples > 0 {
			s.Samples = samples[s.Index] * float64(1+len(others)) / float64(told[s.Index])
		}
		job[i] = s
	}
	return job
}
