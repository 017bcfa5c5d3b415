package project

import "saturate/internal/pysrc"

// isOfType reports whether isinstance(x, T) holds for a parameter, where all calls in training steps and samples give
// something whose type is written there: [path], f"{name}", 0.
func (e *Eval) isOfType(m *Module, test *pysrc.Call) (holds, known bool) {
	if lastName(test.Func) != "isinstance" || len(test.Args) != 2 {
		return false, false
	}
	x, ok := test.Args[0].(*pysrc.Name)
	if !ok || !isGiven(m, x) {
		return false, false
	}
	fn := m.FunctionAt(x.Start)
	givers := e.p.givers[fn]
	if len(givers) == 0 || len(givers) > mostCallers || fn.Params() == nil {
		return false, false
	}
	for i, s := range givers {
		given := s.Given(fn, x.ID)
		is, ok := isType(s.Module(), given, test.Args[1])
		if !ok || i > 0 && is != holds {
			return false, false
		}
		holds = is
	}
	return holds, true
}

// isType reports whether an expression has a type of Python, or one of several, where both are written out.
func isType(m *Module, x, of pysrc.Expr) (is, known bool) {
	kind := writtenType(m, x)
	if kind == "" {
		return false, false
	}
	types := []pysrc.Expr{of}
	if several, ok := of.(*pysrc.Tuple); ok {
		types = several.Elts
	}
	for _, t := range types {
		switch name := pysrc.DottedName(t); name {
		case "list", "tuple", "dict", "str", "int", "float", "bool", "torch.Tensor", "Tensor", "np.ndarray", "numpy.ndarray":
			is = is || name == kind
		default:
			return false, false
		}
	}
	return is, true
}

// writtenType is the type of Python that an expression has by how it is written, or nothing.
func writtenType(m *Module, x pysrc.Expr) string {
	switch x := x.(type) {
	case *pysrc.List, *pysrc.ListComp:
		return "list"
	case *pysrc.Tuple:
		return "tuple"
	case *pysrc.Dict, *pysrc.DictComp:
		return "dict"
	case *pysrc.JoinedStr:
		return "str"
	case *pysrc.Constant:
		switch scalarOf(x).Type {
		case String:
			return "str"
		case Int:
			return "int"
		case Float:
			return "float"
		}
	case *pysrc.Name:
		if value := m.SaidOnce(x); value != nil {
			if _, again := value.(*pysrc.Name); !again {
				return writtenType(m, value)
			}
		}
	}
	return ""
}
