package rule

import "saturate/internal/finding"

// mostWaits is how many other waits of a step a finding names: a step gains only when all of them are gone.
const mostWaits = 100

// joinWaits makes one finding of the places where one step waits for the GPU: beside one wait the others cost next to nothing, and
// a step gains when the last of them is gone. The first one, which costs most, names the others.
func joinWaits(list []finding.Finding) []finding.Finding {
	waits := map[string]int{}
	joins := func(f *finding.Finding) bool {
		r := Find(f.Code)
		return f.Step != "" && f.Small == "" && r != nil && (r.Subject == AboutWaits || r.Waits)
	}
	joined := joinBy(list, mostWaits, func(f *finding.Finding) any {
		if !joins(f) {
			return nil
		}
		waits[f.Step]++
		return f.Step
	}, func(f finding.Finding) string {
		if len(f.Fixes) > 0 {
			return f.Message + " and has a fix"
		}
		return f.Message
	})
	for i := range joined {
		if f := &joined[i]; joins(f) && waits[f.Step] > 1 {
			f.Advice += " The step also waits at the other places that the notes name. One wait costs nearly as much as all of them, so the step gains when the last is gone."
		}
	}
	return joined
}
