package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// leafLoop is a loop of Python over the arrays of a tree: for p, g in zip(jax.tree.leaves(params), jax.tree.leaves(grads)).
type leafLoop struct {
	*pysrc.For
	fn *project.Function
}

// leafLoops are the loops over arrays of trees in functions that nothing compiles.
func (p *SourcePass) leafLoops() (list []leafLoop) {
	seen := map[*project.Function]bool{}
	for _, c := range p.CallsTo("jax.tree_util.tree_leaves", "jax.tree.leaves", "jax.tree_leaves", "jax.tree_util.tree_flatten", "jax.tree.flatten", "jax.tree_flatten") {
		fn := c.Func
		if fn.Def == nil || seen[fn] || p.Jitted(fn) || p.compiledSomewhere(fn, 0) || p.insideJit(c.Site) || p.NearSays("disable_jit") {
			continue
		}
		seen[fn] = true
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			if loop, ok := n.(*pysrc.For); ok && slices.ContainsFunc(iteratedTogether(loop.Iter), p.isLeaves) {
				list = append(list, leafLoop{loop, fn})
			}
			return true
		})
	}
	return list
}

// iteratedTogether are the values that a loop goes through: those of zip, and the value itself.
func iteratedTogether(e pysrc.Expr) []pysrc.Expr {
	e = without(e, "enumerate", "tqdm")
	if c, ok := e.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "zip" {
		return c.Args
	}
	return []pysrc.Expr{e}
}

// isLeaves reports the list of the arrays of a tree: the call that gives it, or a variable that holds it.
func (p *SourcePass) isLeaves(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		switch p.NameOf(x.Func) {
		case "jax.tree_util.tree_leaves", "jax.tree.leaves", "jax.tree_leaves":
			return true
		}
	case *pysrc.Name:
		fn := p.Function(x)
		for _, said := range p.assignments(x.ID, fn) {
			if c, ok := said.(*pysrc.Call); ok && (p.isLeaves(c) || lastName(c.Func) == "tree_flatten" || p.NameOf(c.Func) == "jax.tree.flatten") {
				return true
			}
		}
	}
	return false
}

// leavesOpByOp reports loops that compute on the arrays of trees one by one in every training step.
func (p *SourcePass) leavesOpByOp(said map[*project.Function]bool) {
	for _, loop := range p.leafLoops() {
		names := namesStored(loop.Target)
		computes := false
		for _, s := range loop.Body {
			pysrc.Inspect(s, func(n pysrc.Node) bool {
				if b, ok := n.(*pysrc.BinOp); ok && isArithmetic(b) && mentionsAny(b, names) {
					computes = true
				}
				return !computes
			})
		}
		if computes && len(iteratedTogether(loop.Iter)) > 1 {
			p.treeOpByOp(header(loop.For), loop.fn, said)
		}
	}
}

// leavesRead reports loops that read a number of each array of a tree in every training step: a norm by hand.
func (p *SourcePass) leavesRead() {
	for _, loop := range p.leafLoops() {
		names := namesStored(loop.Target)
		for _, s := range loop.fn.Sites {
			c := Call{s, p}
			if !loop.Bounds().Contains(int(s.Node.Start)) ||
				!slices.ContainsFunc(hostReads(c), func(e pysrc.Expr) bool { return mentionsAny(e, names) }) || p.Rare(c) != nil || p.EvaluationOnly(c) {
				continue
			}
			way, hot := p.Hot(c)
			if !hot || p.rareOnTheWay(way) || p.jittedOnTheWay(way) {
				continue
			}
			p.Report(c, likely*way.Sure).Because(way).Saying("%s waits for the device once for each array in every step", p.Short(c)).
				Advising("Compute it in the compiled step (optax.global_norm gives the norm of all arrays), and read one number every N steps.")
			break
		}
	}
}
