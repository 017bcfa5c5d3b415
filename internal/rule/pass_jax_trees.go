package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// treeMaps call a function for each array of a tree.
var treeMaps = []string{"jax.tree_map", "jax.tree.map", "jax.tree_util.tree_map", "jax.tree_multimap", "jax.tree_util.tree_multimap"}

// treesOpByOp reports arithmetic on all weights of a JAX model that nothing compiles, in every training step: a moving
// average, a target network. Each array takes a few operations that Python sends one by one.
func (p *SourcePass) treesOpByOp(said map[*project.Function]bool) {
	if !p.usesJAX() || p.Imports("torch") || p.Module.Role == project.Test {
		return
	}
	for _, c := range p.CallsTo(treeMaps...) {
		if p.mixesTrees(c) {
			p.treeOpByOp(c, c.Func, said)
		}
	}
	for _, c := range p.CallsTo("optax.incremental_update") {
		p.treeOpByOp(c, c.Func, said)
	}
	for _, fn := range p.Module.Functions {
		if at := mixesRecursively(fn); at != nil {
			p.treeOpByOp(at, fn, said)
		}
	}
}

func (p *SourcePass) treeOpByOp(at Node, fn *project.Function, said map[*project.Function]bool) {
	if said[fn] || p.Jitted(fn) || p.compiledSomewhere(fn, 0) || p.NearSays("disable_jit") || p.EvaluationOnly(at) || p.Rare(at) != nil {
		return
	}
	way, hot := p.Hot(at)
	if !hot || p.rareOnTheWay(way) || p.jittedOnTheWay(way) || p.insideJit(p.siteOf(at, fn)) {
		return
	}
	said[fn] = true
	p.Report(at, likely*way.Sure).Because(way).
		Saying("the weights are updated array by array: each operation is sent to the device by Python").
		Advising("Put the update under jax.jit with the old average donated, or into the compiled training step.")
}

// siteOf is the call at a place, or the first one of its function.
func (p *SourcePass) siteOf(at Node, fn *project.Function) *project.Site {
	if c, ok := at.(Call); ok {
		return c.Site
	}
	return fn.Sites[0]
}

// mixesTrees reports a map over two trees or more, one of which holds weights, that isArithmetic with the arrays of both.
func (p *SourcePass) mixesTrees(c Call) bool {
	if len(c.Node.Args) < 3 || !slices.ContainsFunc(c.Node.Args[1:], func(e pysrc.Expr) bool { return p.holdsWeights(e) }) {
		return false
	}
	lambda, ok := c.Node.Args[0].(*pysrc.Lambda)
	if !ok {
		fn := p.Eval(c.Node.Args[0]).Func
		return fn != nil && fn.Def != nil && slices.ContainsFunc(fn.Returns(), isArithmetic)
	}
	return isArithmetic(lambda.Body)
}

// holdsWeights reports the parameters of a train state, or what is named after them.
func (p *SourcePass) holdsWeights(e pysrc.Expr) bool {
	return project.HasWord(lastName(e), "params", "parameters", "weights")
}

// mixesRecursively is where a function that calls itself for the branches of a nested dict isArithmetic an array of one from
// those of two, or nil: trg[name] = src[name] + decay * (trg[name] - src[name]).
func mixesRecursively(fn *project.Function) (at Node) {
	if fn.Def == nil || !slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Calls.Func == fn && s.Calls.Kind == project.Callable }) {
		return nil
	}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 || at != nil {
			return at == nil
		}
		part, ok := a.Targets[0].(*pysrc.Subscript)
		if ok && isArithmetic(a.Value) && len(treesRead(a.Value, pysrc.DottedName(part.Slice))) > 1 {
			at = a
		}
		return at == nil
	})
	return at
}

// treesRead are the names of which an expression reads the part with a key.
func treesRead(e pysrc.Expr, key string) map[string]bool {
	names := map[string]bool{}
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if s, ok := n.(*pysrc.Subscript); ok && key != "" && pysrc.DottedName(s.Slice) == key {
			names[pysrc.DottedName(s.Value)] = true
		}
		return true
	})
	return names
}
