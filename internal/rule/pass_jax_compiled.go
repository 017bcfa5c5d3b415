package rule

import (
	"slices"

	"saturate/internal/project"
)

// compilers are the calls of a module and of those near it that compile functions for JAX or make others of them, and what
// is known of the functions so far.
type compilers struct {
	jits     []*project.Site // see callsJit
	derive   []*project.Site // jax.grad(f), jax.vmap(f)
	compiled map[callDepth]bool
}

// callDepth is a function, so many calls away from where the question was asked.
type callDepth struct {
	fn    *project.Function
	depth int
}

func (p *SourcePass) compilersNear() *compilers {
	if p.shared.compilers == nil {
		c := &compilers{compiled: map[callDepth]bool{}}
		for _, m := range p.Near() {
			for _, s := range m.Sites {
				if p.callsJit(m, s) {
					c.jits = append(c.jits, s)
				}
				if firstArg(s.Node) != nil && (s.TakesGradient() || s.Name() == "jax.vmap") {
					c.derive = append(c.derive, s)
				}
			}
		}
		p.shared.compilers = c
	}
	return p.shared.compilers
}

// mostCallsToJit is how many calls away compiledSomewhere looks for what compiles a function.
const mostCallsToJit = 4

// compiledSomewhere reports a function that JAX compiles, itself or as a part of one that calls it.
func (p *SourcePass) compiledSomewhere(fn *project.Function, depth int) bool {
	known, at := p.compilersNear().compiled, callDepth{fn, depth}
	compiled, asked := known[at]
	if !asked {
		compiled = p.findCompiled(fn, depth)
		known[at] = compiled
	}
	return compiled
}

func (p *SourcePass) findCompiled(fn *project.Function, depth int) bool {
	if fn.Class != nil && fn.Class.Derives("haiku.Module") && depth == 0 && p.NearSays("jax.jit", "pmap") {
		return true // transformed into a function that something compiles
	}
	for f := fn; f != nil; f = f.Outer {
		if f.Def != nil && (p.jitDecorated(f) || p.handedToJit(f)) {
			return true
		}
		if depth < mostCallsToJit && slices.ContainsFunc(slices.Concat(p.Project.Callers(f), p.transformed(f)), func(s *project.Site) bool {
			return s.Func != f && (p.insideJit(s) || p.compiledSomewhere(s.Func, depth+1))
		}) {
			return true
		}
	}
	return false
}

// transformed are the calls near this module that make another function of one: jax.grad(f), jax.vmap(f).
func (p *SourcePass) transformed(fn *project.Function) (list []*project.Site) {
	if fn.Def == nil {
		return nil
	}
	for _, s := range p.compilersNear().derive {
		if p.eval.Of(s.Module(), firstArg(s.Node)).Func == fn {
			list = append(list, s)
		}
	}
	return list
}
