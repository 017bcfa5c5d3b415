package rule

import (
	"slices"

	"saturate/internal/pysrc"
)

// tensorBoolBranch finds branches on values of the GPU, such as checks for NaN, in every step.
var tensorBoolBranch = Rule{
	Code: "SAT305", Name: "tensor-bool-branch", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=scalar"}},
	Title: "a branch waits for a GPU value in every step",
	What: "if, while, assert or a conditional expression that needs the value of a tensor the model computed: " +
		"torch.isnan(loss), (x > 0).any(), loss > limit.",
	Why:    "Python needs a bool, so the host waits until every queued kernel has run: a hidden .item().",
	Fine:   "A decision about the next step that the GPU cannot make. Debugging. Training on the CPU.",
	Advice: "Check every N steps, decide on the GPU with torch.where, or let GradScaler skip non-finite steps.",
	Bad:    "if torch.isnan(loss):\n    raise ValueError(\"the loss is NaN\")",
	Good:   "if step % 100 == 0 and torch.isnan(loss):\n    raise ValueError(\"the loss is NaN\")",
	Waits:  true,
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() {
			return
		}
		held := map[pysrc.Expr]bool{} // answers in variables, which may be asked for again
		for _, test := range p.Module.Tests {
			if _, hot := p.Hot(test); !hot {
				continue
			}
			value := p.branchOn(test)
			if value == nil || held[value] {
				continue
			}
			if path, ok := p.EachStep(test); ok {
				r := p.Report(value, max(p.OnDevice(tensorOf(value)), p.sureOfIn(value))*path.Sure).Because(path).
					Saying("%s is decided on the host, which waits for the GPU in every step", p.Short(value))
				if !test.Bounds().Contains(int(value.Bounds().Start)) {
					held[value] = true
					r.Because(p.At(test, "decided here"))
				}
			}
		}
	},
}

// branchOn returns the part of a test that needs a tensor's value, or nil. What
// a guard before it lets through only now and then does not count.
func (p *SourcePass) branchOn(test pysrc.Expr) pysrc.Expr {
	switch t := test.(type) {
	case *pysrc.BoolOp:
		for i, v := range t.Values {
			if t.Op == pysrc.And && i > 0 && (!p.onlyThere(t.Values[i-1]) && p.eval.Seldom(p.Module, t.Values[i-1]) || p.asksForHalf(t.Values[i-1])) {
				return nil // that part decides whether this one runs at all
			}
			if found := p.branchOn(v); found != nil {
				return found
			}
		}
	case *pysrc.UnaryOp:
		return p.branchOn(t.Operand)
	case *pysrc.Compare:
		if p.isOnDevice(t) && !p.comparesOnHost(t) || p.looksInTensor(t) {
			return t
		}
	case *pysrc.Call:
		if of := tensorOf(t); of != nil && p.isOnDevice(of) {
			return t
		}
	case *pysrc.Name: // bad = torch.isnan(loss).any(); if bad:
		if said := p.Module.SaidLast(t); said != nil && p.answers(said) && p.LoopAround(said) == p.LoopAround(t) {
			return p.branchOn(said)
		}
	}
	return nil
}

// asksForHalf reports x.dtype == torch.float16 in a program that computes in another type.
func (p *SourcePass) asksForHalf(test pysrc.Expr) bool {
	c, ok := test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || c.Ops[0] != pysrc.Eq {
		return false
	}
	if name := p.NameOf(c.Comparators[0]); name != "torch.float16" && name != "torch.half" {
		return false
	}
	return lastName(c.Left) == "dtype" && !p.half().used && !p.half().governed
}

// answers reports what computes a truth of a tensor, of which a variable holds the answer until it is asked for.
func (p *SourcePass) answers(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.BoolOp:
		return slices.ContainsFunc(x.Values, p.answers)
	case *pysrc.UnaryOp:
		return p.answers(x.Operand)
	case *pysrc.Compare:
		return true
	case *pysrc.Call:
		return tensorOf(x) != nil && p.NameOf(x.Func) != "bool"
	}
	return false
}

// looksInTensor reports c in labels, which compares on the GPU and asks for the answer.
func (p *SourcePass) looksInTensor(t *pysrc.Compare) bool {
	if len(t.Ops) != 1 || t.Ops[0] != pysrc.In && t.Ops[0] != pysrc.NotIn {
		return false
	}
	return p.isOnDevice(t.Comparators[0]) && p.isOneTensor(t.Comparators[0], 0)
}

// sureOfIn is how surely what a test looks into lies on the GPU.
func (p *SourcePass) sureOfIn(value pysrc.Expr) float64 {
	if t, ok := value.(*pysrc.Compare); ok && p.looksInTensor(t) {
		return p.OnDevice(t.Comparators[0])
	}
	return 0
}

// onlyThere reports a test whether a tensor is there at all, such as p.grad is not None: training passes it in every step.
func (p *SourcePass) onlyThere(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Compare)
	return ok && len(c.Ops) == 1 && c.Ops[0] == pysrc.IsNot && pysrc.IsConst(c.Comparators[0], pysrc.None) && p.isOnDevice(c.Left)
}

// comparesOnHost reports a comparison of a switch, rescale == False, or of sizes, x.shape[-1] == wanted.
func (p *SourcePass) comparesOnHost(t *pysrc.Compare) bool {
	if len(t.Comparators) != 1 {
		return false
	}
	right := t.Comparators[0]
	if pysrc.IsConst(right, pysrc.True) || pysrc.IsConst(right, pysrc.False) {
		return pysrc.DottedName(t.Left) != ""
	}
	return p.isSize(t.Left, 0) || p.isSize(right, 0)
}

// tensorOf returns the tensor that a test asks: x of torch.isnan(x), x.any() and
// math.isnan(x), the test itself for a comparison, nil for anything else.
func tensorOf(test pysrc.Expr) pysrc.Expr {
	c, ok := test.(*pysrc.Call)
	if !ok {
		return test
	}
	switch lastName(c.Func) {
	case "any", "all", "isnan", "isinf", "isfinite", "isneginf", "isposinf", "is_nonzero", "allclose", "equal", "bool":
		if len(c.Args) > 0 {
			if _, keyword := pysrc.IntValue(c.Args[0]); !keyword {
				return c.Args[0]
			}
		}
		if a, ok := c.Func.(*pysrc.Attribute); ok && a.Attr != "bool" {
			return a.Value
		}
	}
	return nil
}
