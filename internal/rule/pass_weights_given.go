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
		for _, parameter := range params.All() {
			if parameter.Name == fn.Self() {
				continue
			}
			if loops := loopsOver(fn.Def, parameter.Name); len(loops) > 0 && p.givenWeights(fn, parameter.Name) {
				list = append(list, loops...)
			}
		}
	}
	return list
}

// loopsOver are the loops over a variable in a function.
func loopsOver(def *pysrc.FunctionDef, name string) (list []*pysrc.For) {
	pysrc.Inspect(def, func(n pysrc.Node) bool {
		if loop, ok := n.(*pysrc.For); ok && isNamed(loop.Iter, name) {
			list = append(list, loop)
		}
		return true
	})
	return list
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
