package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// samplingLoop is the loop around a model call whose input depends on the previous iteration's output: tokens or
// denoising steps one after the other. It is nil for any other call.
func (p *SourcePass) samplingLoop(s *project.Site) pysrc.Stmt {
	m := s.Module()
	loop := m.LoopAround(s)
	if loop == nil || p.Project.IsTrainingLoop(m, loop) || !p.callsModel(s) {
		return nil
	}
	if over, ok := loop.(*pysrc.For); ok && (overConstant(over.Iter) || callsTarget(over)) {
		return nil // a few turns, or one layer after the other
	}
	flows := carriedBy(s.Node, loop, flowsFrom(s.Node, loop))
	if !slices.ContainsFunc(argumentsOf(s.Node), func(a pysrc.Expr) bool { return mentionsAny(a, flows) }) {
		return nil
	}
	if over, ok := loop.(*pysrc.For); ok && len(s.Node.Args) > 1 && !mentionsAny(s.Node.Args[0], flows) && mentionsAny(s.Node.Args[0], targetsOf(over)) {
		return nil // the next part of the data, and a state: a recurrence over what there is
	}
	return loop
}

// callsTarget reports a loop that calls what it goes over: layers.
func callsTarget(loop *pysrc.For) bool {
	found := false
	for _, stmt := range loop.Body {
		pysrc.Inspect(stmt, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				called := c.Func
				if method, ok := called.(*pysrc.Attribute); ok && isName(method.Value) && !project.IsTensorMethod(method.Attr) { // block.reverse(x)
					called = method.Value
				}
				switch f := called.(type) {
				case *pysrc.Name:
					found = found || storesName(loop.Target, f.ID)
				case *pysrc.Subscript: // self.layers[i](x)
					found = found || storesName(loop.Target, lastName(f.Slice))
				}
			}
			return !found
		})
	}
	return found
}

// callsModel reports a call of a model or of one of its methods, by its class; or of what the function was given, by
// its name.
func (p *SourcePass) callsModel(s *project.Site) bool {
	if len(s.Node.Args)+len(s.Node.Keywords) == 0 {
		return false
	}
	for _, v := range s.Possible() {
		switch {
		case v.IsInstance("torch.nn.Module"):
			return !strings.HasPrefix(v.Name, "torch.nn.") || v.Name == "torch.nn.Module" // and not a layer
		case v.Kind == project.Callable && v.Func != nil && v.Func.Class == nil && isParameter(s.Func, s.Node.Func):
			_, applies := p.Reaches(v.Func, appliesModel, 2) // a step of a sampler that the function was given
			return applies
		case v.Kind == project.Callable && v.Func != nil:
			return v.Func.Class != nil && v.Func.Class.Derives("torch.nn.Module") && v.Func != s.Func && p.reachesLayers(v.Func, 0)
		case v.Kind != project.Unknown:
			return isParameter(s.Func, s.Node.Func) || strings.HasSuffix(v.Name, ".apply")
		}
	}
	switch name := lastName(s.Node.Func); name {
	case "decode", "apply", "forward":
		return true
	default:
		return project.HasWord(name, "model", "net", "network", "decoder", "denoiser", "unet") || isParameter(s.Func, s.Node.Func)
	}
}

// appliesModel reports a call of flax's apply, or of what a train state keeps of it.
func appliesModel(s *project.Site) bool {
	return (s.Method() == "apply_fn" || s.Method() == "apply") && len(s.Node.Args) > 0
}

// reachesLayers reports a method that runs layers: it calls modules that its object holds.
func (p *SourcePass) reachesLayers(fn *project.Function, depth int) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		if s.Calls.Kind == project.Unknown && s.Method() != "" && p.In(s.Module()).Eval(s.Node.Func).IsInstance("torch.nn.Module") {
			return true
		}
		return slices.ContainsFunc(s.Possible(), func(v Value) bool {
			return v.IsInstance("torch.nn.Module") ||
				depth < 2 && v.Kind == project.Callable && v.Func != nil && v.Func != fn && v.Func.Class != nil && p.reachesLayers(v.Func, depth+1)
		})
	})
}

// flowsFrom are the variables of a loop that the result of a call flows into, through any number of statements.
func flowsFrom(call *pysrc.Call, loop pysrc.Stmt) map[string]bool {
	names := map[string]bool{}
	for known := -1; known != len(names); {
		known = len(names)
		pysrc.Inspect(loop, func(n pysrc.Node) bool {
			var targets []pysrc.Expr
			var value pysrc.Expr
			switch n := n.(type) {
			case *pysrc.Assign:
				targets, value = n.Targets, n.Value
			case *pysrc.AugAssign:
				targets, value = []pysrc.Expr{n.Target}, n.Value
			case *pysrc.Call: // ids.append(next)
				if a, ok := n.Func.(*pysrc.Attribute); ok && len(n.Args) == 1 && (a.Attr == "append" || a.Attr == "copy_") {
					targets, value = []pysrc.Expr{a.Value}, n.Args[0]
				}
			}
			if value == nil || !value.Bounds().Contains(int(call.Start)) && !mentionsAny(value, names) {
				return true
			}
			for _, t := range targets {
				pysrc.Inspect(t, func(n pysrc.Node) bool {
					if s, ok := n.(*pysrc.Subscript); ok { // x[:, t] = next
						if root := rootName(s.Value); root != "" {
							names[root] = true
						}
						return false
					}
					if name, ok := n.(*pysrc.Name); ok {
						names[name.ID] = true
					}
					return true
				})
			}
			return true
		})
	}
	delete(names, "self")
	return names
}

// carriedBy removes the variables that each iteration sets before the call, independently of the previous iteration.
func carriedBy(call *pysrc.Call, loop pysrc.Stmt, names map[string]bool) map[string]bool {
	fresh := map[string]bool{}
	set := func(target pysrc.Expr) {
		pysrc.Inspect(target, func(n pysrc.Node) bool {
			if name, ok := n.(*pysrc.Name); ok && name.Ctx == pysrc.Store {
				fresh[name.ID] = true
			}
			return true
		})
	}
	stale := func(value pysrc.Expr) bool {
		found := false
		pysrc.Inspect(value, func(n pysrc.Node) bool {
			name, ok := n.(*pysrc.Name)
			found = found || ok && names[name.ID] && !fresh[name.ID]
			return !found
		})
		return found
	}
	pysrc.Inspect(loop, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.For:
			set(n.Target)
		case *pysrc.Assign:
			if n.Start < call.Start && !n.Bounds().Contains(int(call.Start)) && !stale(n.Value) {
				for _, t := range n.Targets {
					set(t)
				}
			}
		}
		return true
	})
	carried := map[string]bool{}
	for name := range names {
		if !fresh[name] {
			carried[name] = true
		}
	}
	return carried
}

// mentionsAny reports an expression that reads one of the names.
func mentionsAny(e pysrc.Expr, names map[string]bool) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && names[name.ID] {
			found = true
		}
		return !found
	})
	return found
}
