package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// spreadFromFirst reports batches of the host that jax.numpy reshapes for jax.pmap: the whole batch goes to the first device,
// and from there to the others. NumPy reshapes it on the host, and each device gets its part at once.
func (p *SourcePass) spreadFromFirst() {
	said := map[pysrc.Stmt]*Report{}
	for _, c := range p.CallsTo("jax.numpy.reshape", "jax.numpy.array", "jax.numpy.asarray", "jax.numpy.stack", "jax.numpy.split") {
		loop, ok := p.LoopAround(c).(*pysrc.For)
		from := firstArg(c.Node)
		if !ok || from == nil || p.Rare(c) != nil || !p.isHostBatch(from, loop) {
			continue
		}
		name := p.variableOf(c)
		if name == "" || !p.givenToParts(name, loop, c) {
			continue
		}
		if way, hot := p.Hot(c); !hot || p.jittedOnTheWay(way) || p.EvaluationOnly(c) {
			continue
		}
		if r := said[loop]; r != nil {
			r.Too(p.At(c, "and here"))
			continue
		}
		said[loop] = p.Report(c, likely).
			Saying("%s copies the whole batch to the first device, from where it goes to the others", p.Short(c)).
			Advising("Reshape with NumPy (x.reshape(…)), so that each device gets its part from the host: flax.jax_utils.prefetch_to_device does so ahead of the step.")
	}
}

// isHostBatch reports what a loop takes from an iterator that gives arrays of NumPy or tensors of the host.
func (p *SourcePass) isHostBatch(e pysrc.Expr, loop *pysrc.For) bool {
	root := project.RootName(e)
	if c, ok := e.(*pysrc.Call); ok && lastName(c.Func) == "astype" {
		root = project.RootName(c.Func.(*pysrc.Attribute).Value)
	}
	if root == nil || !storesName(loop.Target, root.ID) {
		return false
	}
	return p.eval.FromLoader(p.Module, root) || givesArrays(loop.Iter)
}

// givesArrays reports an iterator of TensorFlow's over arrays of NumPy, perhaps counted or with a progress bar.
func givesArrays(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		c, ok := n.(*pysrc.Call)
		found = found || ok && slices.Contains([]string{"as_numpy_iterator", "as_numpy"}, lastName(c.Func))
		return !found
	})
	return found
}

// givenToParts reports a variable that a loop passes on, by itself or in a dict, to a function of jax.pmap.
func (p *SourcePass) givenToParts(name string, loop *pysrc.For, after Call) bool {
	return slices.ContainsFunc(after.Func.Sites, func(s *project.Site) bool {
		if s.Node.Start < after.Node.End || !loop.Span.Contains(int(s.Node.Start)) || !p.inParts(s) {
			return false
		}
		return slices.ContainsFunc(argumentsOf(s.Node), func(e pysrc.Expr) bool {
			_, call := e.(*pysrc.Call)
			return !call && mentionsName(e, name)
		})
	})
}

// inParts reports a call of what jax.pmap has made of a function.
func (p *SourcePass) inParts(s *project.Site) bool {
	if made, ok := p.onceSaid(s.Node.Func).(*pysrc.Call); ok {
		return p.NameOf(made.Func) == "jax.pmap"
	}
	callee := s.Calls
	if callee.Func == nil {
		return callee.Made != nil && callee.Made.Name() == "jax.pmap"
	}
	return slices.ContainsFunc(callee.Func.Decorators(), func(d pysrc.Expr) bool {
		if c, ok := d.(*pysrc.Call); ok {
			if d = c.Func; lastName(d) == "partial" && len(c.Args) > 0 {
				d = c.Args[0]
			}
		}
		return lastName(d) == "pmap"
	})
}
