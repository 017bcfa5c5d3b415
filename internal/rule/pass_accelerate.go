package rule

import (
	"bytes"
	"slices"

	"saturate/internal/project"
)

// gatheredByAccelerate reports loops of Accelerate on several GPUs that gather gradients by a test of their own: backward
// then exchanges them in each iteration, which accumulate() would leave out.
func (p *SourcePass) gatheredByAccelerate() {
	if len(p.MethodCalls("accumulate")) > 0 || p.namesNoSync() || !p.severalProcesses() {
		return
	}
	for _, loop := range p.TrainingLoops() {
		gathers := p.gathers(loop)
		if gathers == nil {
			continue
		}
		at := slices.IndexFunc(loop.Steps, func(s *project.Site) bool {
			return s.Module() == p.Module && s.Func == loop.Func && s.Method() == "backward" && p.Rare(s) == nil
		})
		if at >= 0 {
			p.Report(loop.Steps[at], likely*p.GPU()).Because(gathers).
				Advising("Give Accelerator gradient_accumulation_steps, and put the step under with accelerator.accumulate(model): " +
					"it exchanges the gradients once for each step of the optimizer.")
		}
	}
}

// severalProcesses reports that Accelerate starts this program on several GPUs, by its settings or by a script.
func (p *SourcePass) severalProcesses() bool {
	for _, f := range p.Project.Settings {
		if f.Framework() != "accelerate" || f.Role == project.Test {
			continue
		}
		if n := f.Top.Child("num_processes"); n != nil {
			if count, _ := n.Value().Int(); count > 1 {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.Project.Scripts, func(s *project.Source) bool {
		return bytes.Contains(s.Text, []byte("accelerate launch")) && bytes.Contains(s.Text, []byte("--multi_gpu"))
	})
}
