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

// asksForWindows answers what asks for the system of the machine: who trains on a GPU mostly has Linux.
func (e *Eval) asksForWindows(m *Module, test pysrc.Expr) (holds, known bool) {
	sc := m.blocks[m.BlockAt(test.Bounds().Start)].Scope
	switch t := test.(type) {
	case *pysrc.Call:
		method, ok := t.Func.(*pysrc.Attribute)
		if start, text := firstString(t); ok && text && method.Attr == "startswith" && e.expr(method.Value, sc).Name == "sys.platform" {
			return start != "" && "linux"[:min(len(start), 5)] == start, true
		}
	case *pysrc.Compare:
		text, ok := pysrc.StringValue(t.Comparators[0])
		if !ok || len(t.Ops) != 1 || t.Ops[0] != pysrc.Eq && t.Ops[0] != pysrc.NotEq {
			return false, false
		}
		if own := systemNames[e.expr(t.Left, sc).Name]; own != "" {
			return (text == own) == (t.Ops[0] == pysrc.Eq), true
		}
	}
	return false, false
}

// systemNames are what Linux answers.
var systemNames = map[string]string{"os.name": "posix", "sys.platform": "linux", "platform.system()": "Linux"}
