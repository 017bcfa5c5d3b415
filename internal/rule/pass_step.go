package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// EachStep tells whether the node runs in every training step of PyTorch on a
// GPU: Hot, on a GPU, not for evaluation, and not in a branch that is seldom
// taken. The Sure of the Path is the confidence in all of it.
func (p *SourcePass) EachStep(n Node) (project.Path, bool) {
	if p.GPU() == 0 || p.jaxOnly() {
		return project.Path{}, false
	}
	path, hot := p.Hot(n)
	if !hot || p.EvaluationOnly(n) || p.seldom(p.Module, n) {
		return project.Path{}, false
	}
	for _, call := range path.Calls {
		if p.seldom(call.Module(), call) {
			return project.Path{}, false
		}
	}
	path.Sure *= p.GPU()
	return path, true
}

// seldom tells whether a place stands in a branch that a run seldom or never
// takes: a handler of exceptions, an arm that ends in raise, break or exit, one
// that waits for a NaN or for time to pass, or one that a setting leaves out.
func (p *SourcePass) seldom(m *project.Module, n Node) bool {
	at := n.Bounds().Start
	fn := m.FunctionAt(at)
	for id := m.BlockAt(at); id >= 0 && m.Block(id).Func == fn; id = m.Block(id).Parent {
		b := m.Block(id)
		switch owner := b.Owner.(type) {
		case *pysrc.Try:
			if b.Arm == project.Handler {
				return true
			}
		case *pysrc.If:
			if p.seldomArm(m, owner, b.Arm) {
				return true
			}
		case *pysrc.For, *pysrc.While:
			if p.isTrainingLoop(m, b.Owner) {
				return false
			}
		}
	}
	return false
}

func (p *SourcePass) seldomArm(m *project.Module, test *pysrc.If, arm project.Arm) bool {
	body := test.Body
	if arm == project.Else {
		body = test.Orelse
	}
	if leavesRun(body) {
		return true
	}
	if value := p.eval.Of(m, test.Test); value.Kind == project.Literal {
		return arm == project.Body && value.IsFalse() || arm == project.Else && value.IsTrue()
	}
	return arm == project.Body && waits(test.Test)
}

// leavesRun reports statements that end the loop or the program.
func leavesRun(body []pysrc.Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *pysrc.Raise, *pysrc.Break:
			return true
		case *pysrc.ExprStmt:
			if c, ok := s.Value.(*pysrc.Call); ok {
				switch pysrc.DottedName(c.Func) {
				case "exit", "quit", "sys.exit", "os._exit":
					return true
				}
			}
		}
	}
	return false
}

// waits reports a test that is seldom true: of a NaN, or of the clock.
func waits(test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.UnaryOp:
			if n.Op == pysrc.Not {
				for _, word := range []string{"isfinite"} {
					found = found || callsNamed(n.Operand, word)
				}
				return false
			}
		case *pysrc.Call:
			switch lastPart(n.Func) {
			case "isnan", "isinf", "time", "monotonic", "perf_counter":
				found = true
			}
		}
		return !found
	})
	return found
}

func callsNamed(e pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && lastPart(c.Func) == name {
			found = true
		}
		return !found
	})
	return found
}

func (p *SourcePass) isTrainingLoop(m *project.Module, owner pysrc.Node) bool {
	for _, l := range p.Project.TrainingLoops(m) {
		if pysrc.Node(l.Stmt) == owner {
			return true
		}
	}
	return false
}

// jaxOnly reports a module that is written in JAX and not in PyTorch.
func (p *SourcePass) jaxOnly() bool {
	return !p.Imports("torch") && (p.Imports("jax") || p.Imports("flax") || p.Imports("optax") || p.Imports("equinox"))
}

// StepCounter returns the name that counts the steps of the training loop
// around a node, or nothing: for step, batch in enumerate(loader).
func (p *SourcePass) StepCounter(n Node) string {
	loop, ok := p.LoopAround(n).(*pysrc.For)
	if !ok || !p.isTrainingLoop(p.Module, loop) {
		return ""
	}
	call, ok := loop.Iter.(*pysrc.Call)
	if !ok {
		return ""
	}
	target := loop.Target
	switch lastPart(call.Func) {
	case "range":
	case "tqdm", "trange":
		if inner, ok := firstArg(call).(*pysrc.Call); ok && lastPart(inner.Func) == "enumerate" {
			target = firstOf(target)
		} else if lastPart(call.Func) != "trange" && !(ok && lastPart(inner.Func) == "range") {
			return ""
		}
	case "enumerate":
		target = firstOf(target)
	default:
		return ""
	}
	if name, ok := target.(*pysrc.Name); ok && !strings.Contains(name.ID, "epoch") && name.ID != "_" {
		return name.ID
	}
	return ""
}

func firstArg(c *pysrc.Call) pysrc.Expr {
	if len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

func firstOf(target pysrc.Expr) pysrc.Expr {
	if t, ok := target.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		return t.Elts[0]
	}
	return nil
}

// lastPart is the last part of a dotted name: isnan of torch.isnan.
func lastPart(e pysrc.Expr) string {
	switch e := e.(type) {
	case *pysrc.Name:
		return e.ID
	case *pysrc.Attribute:
		return e.Attr
	}
	return ""
}
