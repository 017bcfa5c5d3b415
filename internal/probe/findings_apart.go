package probe

import (
	"fmt"
	"slices"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/run"
)

// worthSparing is the share of training from which on what is not training is reported.
const worthSparing = 0.10

// aside are the parts that interrupt training, and what is said of each.
var aside = []struct {
	part, what string
	rule       finding.Rule
}{
	{"evaluation", "evaluation takes", finding.Rule{
		Code: "PRF107", Name: "evaluation-too-costly", Severity: finding.Warning,
		Subject: finding.Evaluation, Areas: []finding.Area{finding.HostArea},
		Title: "evaluation takes a large part of training",
		Why:   "Training waits while an evaluation loads its data and runs the model.",
		Advice: "Evaluate less often, or on part of the validation set; a larger batch, " +
			"torch.inference_mode and loader workers make it faster.",
		Cures: []string{"eval-too-often"},
	}},
	{"checkpoint", "saving checkpoints takes", finding.Rule{
		Code: "PRF108", Name: "checkpoints-too-costly", Severity: finding.Warning,
		Subject: finding.Checkpoints, Areas: []finding.Area{finding.HostArea},
		Title: "saving checkpoints takes a large part of training",
		Why:   "Training waits while weights and optimizer state are copied to the host and written.",
		Advice: "Save less often, save only what a restart needs, or write in a background thread " +
			"(torch.distributed.checkpoint.async_save).",
		Cures: []string{"checkpoint-too-often"},
	}},
	{"logging", "logging takes", finding.Rule{
		Code: "PRF109", Name: "logging-too-costly", Severity: finding.Warning,
		Subject: finding.HostCode, Areas: []finding.Area{finding.HostArea},
		Title: "logging takes a large part of training",
		Why:   "Training waits while records are formatted and written. Formatting a GPU tensor also waits for the GPU.",
		Advice: "Log every few dozen steps, and read values back once per log. " +
			"tqdm redraws its bar at each set_postfix; pass refresh=False.",
		Cures: []string{"log-every-step"},
	}},
}

// apartFindings are the costs of evaluations, checkpoints and logging, in steady steps and in those that are not.
func apartFindings(o Outcome) (found []finding.Finding) {
	steps := slices.DeleteFunc(slices.Clone(o.Run.Steps), func(s run.Step) bool { return !counts(s) })
	for _, a := range aside {
		share := partOfTraining(steps, a.part)
		if share < worthSparing {
			continue
		}
		seconds, in := 0.0, 0
		for _, s := range steps {
			if t := s.Part(a.part); t > 0 {
				seconds, in = seconds+t, in+1
			}
		}
		f := a.rule.Finding()
		f.Confidence = 0.9
		f.Message = fmt.Sprintf("%s %s of training: %s each, in %d of %d steps",
			a.what, human.Percent(share), human.Seconds(seconds/float64(in)), in, len(steps))
		f.Estimate = &finding.Estimate{SecondsPerStep: seconds / float64(len(steps)), Basis: "measured in this run"}
		if look := a.rule.WhereToLook(); look != "" {
			f.Advice += " " + look
		}
		if entry, known := entryOf(o.Run.Functions, a.part); known {
			f.Message = fmt.Sprintf("%s (%s)", f.Message, Place(entry))
		}
		f.Evidence = costOf(o.Run.Functions, a.part)
		found = append(found, f)
	}
	return found
}

// entryOf is the function that all of a part happens in: the innermost, where one calls the other.
func entryOf(functions []run.Function, part string) (entry run.Function, known bool) {
	for _, f := range functions {
		if f.Inside == insides[part] && f.Entry && (!known || f.Share > entry.Share) {
			entry, known = f, true
		}
	}
	return entry, known
}

// advisedWorkers says how many workers would keep up, and never advises more than there are cores for.
func advisedWorkers(needed int, m run.Machine) string {
	cores := m.UsableCores
	if cores == 0 {
		cores = m.Cores
	}
	switch {
	case cores == 0 || needed <= cores:
		return fmt.Sprintf("num_workers=%d would keep up.", needed)
	case cores == 1:
		return "This machine has 1 core, so workers would compete with training: prepare the samples ahead of training."
	}
	return fmt.Sprintf("num_workers=%d uses all %d cores of this machine, but %d workers would be needed to keep up: "+
		"prepare the samples ahead of training as well.", cores, cores, needed)
}

// costOf says which function costs most of a part, as evidence.
func costOf(functions []run.Function, part string) []finding.Evidence {
	f, known := Costliest(functions, insides[part])
	if !known {
		return nil
	}
	return []finding.Evidence{{Text: fmt.Sprintf("%s of that is %s", human.Percent(f.Share), Place(f))}}
}
