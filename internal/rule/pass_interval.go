package rule

import "fmt"

// fewEvaluations reports a run that is so short that it evaluates a few times only.
func (p *SourcePass) fewEvaluations(c Call, every int64) bool {
	steps, ok := c.Arg("max_steps").Int()
	return ok && steps > 0 && steps <= 10*every
}

func everySteps(n int64) string {
	if n == 1 {
		return "every step"
	}
	return fmt.Sprintf("every %d steps", n)
}
