package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fixedBuffers reports what a forward computes in each step from buffers of its module that no method changes: the scale and the shift
// of a batch norm that is frozen.
func (p *SourcePass) fixedBuffers() {
	if !p.runsOnGPU() || p.jaxOnly() || !p.Module.Says("register_buffer") {
		return
	}
	for _, class := range p.Classes("torch.nn.Module") {
		forward := class.Method("forward")
		if forward == nil || forward.Def == nil || forward.Module != p.Module || !forward.InStep() || p.reportsIn(forward.Def.Span) {
			continue
		}
		c := bufferCount{p: p, fixed: buffersOf(class)}
		for _, stmt := range forward.Def.Body {
			c.statement(stmt)
		}
		if c.first == nil || c.kernels < enoughKernels {
			continue
		}
		if way, ok := p.EachStep(c.first); ok {
			p.Report(c.first, likely*way.Sure).Because(way).Saying("%s is computed from fixed buffers in every step", p.Short(c.first)).
				Advising("Compute it once, after the weights are loaded, and keep the result in buffers.").
				Small("a few small kernels compute it")
		}
	}
}

// buffersOf are the buffers that a module registers in __init__ and that its methods only read, as self.name.
func buffersOf(class *project.Class) map[string]bool {
	buffers := map[string]bool{}
	init := class.Method("__init__")
	if init == nil {
		return nil
	}
	for _, s := range init.Sites {
		if name, ok := pysrc.StringValue(firstArg(s.Node)); ok && s.Method() == "register_buffer" {
			buffers["self."+name] = true
		}
	}
	drop := func(e pysrc.Expr) { delete(buffers, heldTensor(e)) }
	for _, fn := range class.Methods {
		if fn == init || fn.Def == nil || len(buffers) == 0 {
			continue
		}
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			switch x := n.(type) {
			case *pysrc.Assign:
				for _, t := range x.Targets {
					drop(t)
				}
			case *pysrc.AugAssign:
				drop(x.Target)
			case *pysrc.Call: // changed in place, or by what is given it
				if a, ok := x.Func.(*pysrc.Attribute); ok && inPlace(a.Attr) {
					drop(a.Value)
				}
				for _, a := range argumentsOf(x) {
					drop(a)
				}
			}
			return true
		})
	}
	return buffers
}

// heldTensor is the field that an expression is or is a part of: self.count of self.count.data[0].
func heldTensor(e pysrc.Expr) string {
	for {
		switch x := e.(type) {
		case *pysrc.Subscript:
			e = x.Value
		case *pysrc.Attribute:
			if project.IsSelf(x.Value) {
				return "self." + x.Attr
			}
			e = x.Value
		default:
			return ""
		}
	}
}

// bufferCount counts the operations of a function on fixed buffers alone.
type bufferCount struct {
	p       *SourcePass
	fixed   map[string]bool // fields and variables
	kernels int
	first   pysrc.Expr
}

func (c *bufferCount) statement(stmt pysrc.Stmt) {
	a, ok := stmt.(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return
	}
	name, ok := a.Targets[0].(*pysrc.Name)
	if !ok {
		return
	}
	delete(c.fixed, name.ID)
	kernels, of := c.operations(a.Value)
	if of != fromBuffers {
		return
	}
	c.fixed[name.ID] = true
	c.kernels += kernels
	if c.first == nil && kernels > 0 {
		c.first = a.Value
	}
}

// What an expression is computed from.
type source int

const (
	fromOther   source = iota
	fromNumbers        // and nothing else
	fromBuffers        // and numbers
)

// operations are the kernels of an expression that is computed from fixed buffers and numbers alone; a view takes none.
func (c *bufferCount) operations(e pysrc.Expr) (kernels int, of source) {
	parts, own := []pysrc.Expr(nil), 0
	switch x := e.(type) {
	case *pysrc.Constant:
		return 0, fromNumbers
	case *pysrc.Name, *pysrc.Attribute:
		if c.fixed[pysrc.DottedName(e)] {
			return 0, fromBuffers
		}
		if c.p.isOneNumber(e) && c.p.eval.Steady(c.p.Module, e) == project.Always {
			return 0, fromNumbers
		}
		return 0, fromOther
	case *pysrc.UnaryOp:
		parts, own = []pysrc.Expr{x.Operand}, 1
	case *pysrc.BinOp:
		parts, own = []pysrc.Expr{x.Left, x.Right}, 1
	case *pysrc.Subscript:
		parts = []pysrc.Expr{x.Value}
	case *pysrc.Call:
		method, ok := x.Func.(*pysrc.Attribute)
		if !ok || len(x.Keywords) > 0 {
			return 0, fromOther
		}
		parts, own = slices.Clone(x.Args), 1
		if c.p.NameOf(x.Func) == "torch."+method.Attr {
			break
		}
		parts = append(parts, method.Value)
		if viewed(x) != nil {
			own = 0
		}
	default:
		return 0, fromOther
	}
	of = fromNumbers
	for _, part := range parts {
		inner, from := c.operations(part)
		if _, number := pysrc.IntValue(part); from == fromOther && !number {
			return 0, fromOther
		}
		of, kernels = max(of, from), kernels+inner
	}
	if of == fromNumbers {
		own = 0
	}
	return kernels + own, of
}
