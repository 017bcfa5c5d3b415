package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// loopsOverGiven are the loops over a parameter for which every training step passes the weights of a model, or over what their function
// has picked from it: for p in parameters, for p in filter(lambda p: p.grad is not None, parameters).
func (p *SourcePass) loopsOverGiven() (list []*pysrc.For) {
	if !p.Module.InStep() {
		return nil
	}
	for _, fn := range p.Module.Functions {
		params := fn.Params()
		if params == nil || !fn.InStep() || fn.Def == nil {
			continue
		}
		over := loopsByName(fn.Def)
		if len(over) == 0 {
			continue
		}
		for _, parameter := range params.All() {
			if parameter.Name == fn.Self() {
				continue
			}
			if loops := over[parameter.Name]; len(loops) > 0 && p.givenWeights(fn, parameter.Name) {
				list = append(list, loops...)
			}
		}
	}
	return list
}

// loopsByName are the loops over variables in a function, by the variable.
func loopsByName(def *pysrc.FunctionDef) (over map[string][]*pysrc.For) {
	pysrc.Inspect(def, func(n pysrc.Node) bool {
		loop, ok := n.(*pysrc.For)
		if !ok {
			_, statement := n.(pysrc.Stmt)
			return statement || isBody(n)
		}
		if name, ok := loop.Iter.(*pysrc.Name); ok {
			if over == nil {
				over = map[string][]*pysrc.For{}
			}
			over[name.ID] = append(over[name.ID], loop)
		}
		return true
	})
	return over
}

// isBody reports a part of a statement that holds statements, as an except does.
func isBody(n pysrc.Node) bool {
	switch n.(type) {
	case *pysrc.ExceptHandler, *pysrc.MatchCase:
		return true
	}
	return false
}

// givenWeights reports a parameter for which the calls of training steps pass the weights of a model.
func (p *SourcePass) givenWeights(fn *project.Function, parameter string) bool {
	return p.givenWeightsVia(fn, parameter, 0)
}

// givenWeightsVia is givenWeights where callers may pass on what they were given themselves.
func (p *SourcePass) givenWeightsVia(fn *project.Function, parameter string, depth int) bool {
	givers := p.Project.Givers(fn)
	return len(givers) > 0 && !slices.ContainsFunc(givers, func(s *project.Site) bool {
		given := s.Given(fn, parameter)
		if name, ok := given.(*pysrc.Name); ok && depth < 3 && s.Func != fn && s.Func.HasParameter(name.ID) && p.givenWeightsVia(s.Func, name.ID, depth+1) {
			return false
		}
		return given == nil || !p.In(s.Module()).overWeights(given)
	})
}
