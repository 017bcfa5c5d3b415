package rule

import (
	"strings"

	"saturate/internal/human"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// denoisesBehind reports a call in training that leads to a pipeline of diffusers which takes more denoising steps than there
// are training steps between two such calls, or a quarter of them.
func (p *SourcePass) denoisesBehind(s *project.Site) bool {
	every := p.atLeastEvery(s)
	report := func(at Call, because ...any) bool {
		steps := denoisingSteps(at)
		if every <= 1 || 4*steps < every {
			return false
		}
		p.Report(s.Node.Func, likely*at.Arg("num_inference_steps").Confidence()).Because(because...).Because(valuesOf(p.intervalsAround(s))...).
			Saying("training stops %s for %s denoising steps: %s", everySteps(every), human.Count(steps), p.Short(s.Node.Func)).
			Advising("Sample rarely, with few steps and a fast scheduler (DPMSolverMultistepScheduler, 20 steps), or from a checkpoint in " +
				"another process.")
		return true
	}
	if c := (Call{s, p}); isPipeline(s) && p.EvaluationOnly(s) == (p.Rare(s) == nil) {
		return report(c)
	}
	for _, fn := range runsFunctions(s) {
		path, ok := p.Reaches(fn, func(inner *project.Site) bool { return isPipeline(inner) }, 3)
		if !ok {
			continue
		}
		last := path.Calls[len(path.Calls)-1]
		in := p.In(last.Module())
		return report(Call{last, in}, in.At(last.Node, "one model call after the other"))
	}
	return false
}

// isPipeline reports a call of an object that is a pipeline of diffusers.
func isPipeline(s *project.Site) bool {
	return s.Calls.Kind == project.Instance && strings.HasPrefix(s.Calls.Name, "diffusers.") && strings.HasSuffix(s.Calls.Name, "Pipeline") &&
		len(s.Node.Args)+len(s.Node.Keywords) > 0
}

// denoisingSteps are the steps that a call of a pipeline takes for one batch of images; 50 unless it says so.
func denoisingSteps(c Call) int64 {
	steps := c.Arg("num_inference_steps")
	if n, ok := steps.Int(); ok {
		return n
	}
	if k := c.Node.Keyword("num_inference_steps"); k != nil {
		if _, number := pysrc.IntValue(k.Value); !number {
			return 0 // not known
		}
	}
	return 50
}
