package project

import "saturate/internal/pysrc"

// asksForMPS answers a test of whether the program runs on the GPU of a Mac: device == "mps", torch.backends.mps.is_available().
// What is asked here is what happens on the GPUs that it is written for.
func asksForMPS(m *Module, test pysrc.Expr) (holds, known bool) {
	switch t := test.(type) {
	case *pysrc.Call:
		s := m.SiteAt(t)
		return false, s != nil && s.Calls.Name == "torch.backends.mps.is_available"
	case *pysrc.Compare:
		if text, ok := pysrc.StringValue(t.Comparators[0]); ok && text == "mps" && len(t.Ops) == 1 {
			switch t.Ops[0] {
			case pysrc.Eq:
				return false, true
			case pysrc.NotEq:
				return true, true
			}
		}
	}
	return false, false
}
