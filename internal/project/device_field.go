package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// tensorField is tensor for an attribute of an object of the project: a buffer or parameter of a model, a property, or
// what the methods of its class assign. It is not known where the class says nothing about it.
func (e *Eval) tensorField(x *pysrc.Attribute, sc *Scope, depth int) (sure float64, known bool) {
	of := e.expr(x.Value, sc)
	try := func(v *Value) {
		if v.Kind != Instance || v.Class == nil {
			return
		}
		if s, ok := e.fieldOnDevice(v.Class, x.Attr, depth); ok {
			sure, known = max(sure, s), true
			if s == 0 && v.Class.Method(x.Attr) == nil {
				sure = max(sure, e.givenToObject(x, sc, v.Class, depth))
			}
		}
	}
	try(&of)
	for i := range of.Either {
		try(&of.Either[i])
	}
	return sure, known
}

// partOfField is OnDevice for self.field and for parts of it: self.step.data, self.decoder.size[0].
func (e *Eval) partOfField(m *Module, x pysrc.Expr) float64 {
	sc := m.blocks[m.BlockAt(x.Bounds().Start)].Scope
	e.steps = mostTensorSteps
	for {
		switch y := x.(type) {
		case *pysrc.Subscript:
			x = y.Value
			continue
		case *pysrc.Attribute:
			if sure, known := e.tensorField(y, sc, 0); known {
				return sure
			}
			if tensorParts[y.Attr] {
				x = y.Value
				continue
			}
		}
		return 0
	}
}

// tensorParts are attributes of a tensor that are tensors on the same device.
var tensorParts = setOf("data", "grad", "T", "mT", "H", "mH", "real", "imag")

// fieldOnDevice is the confidence that a field of a class holds a tensor of the device.
func (e *Eval) fieldOnDevice(c *Class, name string, depth int) (sure float64, known bool) {
	return e.tensorWork(field{c, name}, depth, true, func() (float64, bool) { return e.findOnDevice(c, name, depth) })
}

func (e *Eval) findOnDevice(c *Class, name string, depth int) (sure float64, known bool) {
	if f := c.Method(name); f != nil {
		if !f.decorated("property", "cached_property") {
			return 0, true
		}
		return e.tensorFunction(f, depth), true
	}
	module := c.Derives("torch.nn.Module")
	of := func(c *Class) bool {
		if module && c.Registers(name) {
			if known = true; !c.isTrainerAlone() {
				sure = NearlyCertain
			}
			return false
		}
		for _, a := range c.attrs[name] {
			known = true
			if a.value == nil || a.kind == Iterated || pysrc.IsConst(a.value, pysrc.None) {
				continue
			}
			from := c.Module.blocks[a.block].Scope
			switch {
			case isNumber(a.value, from, 0):
				sure = 0 // a count, which the device may have summed up later
				return false
			case module && e.makesParameter(a.value, from):
				sure = NearlyCertain
			case isEmptyContainer(a.value):
				sure = max(sure, e.tensorStoredIn(c, name, depth+1))
			default:
				sure = max(sure, e.tensorKept(a, from, depth+1))
			}
		}
		return sure == 0
	}
	c.each(of)
	for _, heir := range c.heirs { // a base may leave the field to them
		if known {
			break
		}
		of(heir)
	}
	return sure, known
}

// tensorStoredIn is tensor for a field that is an empty container when it is made: what the methods of its class put into it.
func (e *Eval) tensorStoredIn(c *Class, name string, depth int) (best float64) {
	for _, a := range c.Module.Assignments {
		into, ok := a.Target.(*pysrc.Subscript)
		if !ok || a.Func == nil || a.Func.Class != c {
			continue
		}
		if field, ok := into.Value.(*pysrc.Attribute); ok && field.Attr == name && IsSelf(field.Value) && best < Likely {
			best = max(best, e.tensor(a.Value, c.Module.scopeAt(a.Value), depth))
		}
	}
	return best * throughParts
}

// tensorKept is tensor for a value assigned to a field. A value that is moved to the device may be a model, unless
// torch created it.
func (e *Eval) tensorKept(a attr, sc *Scope, depth int) float64 {
	for x := a.value; ; {
		call, ok := x.(*pysrc.Call)
		if !ok {
			break
		}
		f, ok := call.Func.(*pysrc.Attribute)
		if v := e.expr(call.Func, sc); !ok || v.Kind == Callable && v.Name != "" && !ofResult(v.Name) {
			if !computesTensor(v.Name) {
				return 0
			}
			break
		}
		x = f.Value
	}
	if e.expr(a.value, sc).IsInstance("torch.nn.Module") {
		return 0
	}
	return e.tensorPart(a.value, a.path, sc, depth)
}

// ofResult reports a method of what a function of torch returned: torch.linspace().to.
func ofResult(name string) bool {
	return strings.HasPrefix(name, "torch.") && strings.Contains(name, ").")
}

// makesParameter reports torch.nn.Parameter(…), which moves with its module.
func (e *Eval) makesParameter(x pysrc.Expr, sc *Scope) bool {
	call, ok := x.(*pysrc.Call)
	return ok && strings.HasSuffix(e.expr(call.Func, sc).Name, ".Parameter")
}

// Registers reports whether a method of a class registers a name as a buffer or parameter, which is on the model's
// device.
func (c *Class) Registers(name string) bool {
	for _, f := range c.Methods {
		for _, s := range f.Sites {
			if m := s.Method(); m != "register_buffer" && m != "register_parameter" || !s.onSelf() || len(s.Node.Args) == 0 {
				continue
			}
			if said, ok := pysrc.StringValue(s.Node.Args[0]); ok && said == name {
				return true
			}
		}
	}
	return false
}

// isTrainerAlone reports a class that is a module of torch only to save its state: it takes training steps, has no forward, and does
// not move itself. What it registers stays on the host.
func (c *Class) isTrainerAlone() bool {
	if c.LibraryBase() != "torch.nn.Module" || c.Method("forward") != nil {
		return false
	}
	trains := false
	for _, f := range c.Methods {
		for _, s := range f.Sites {
			if m := s.Method(); (m == "to" || m == "cuda") && IsSelf(s.Node.Func.(*pysrc.Attribute).Value) {
				return false
			}
			trains = trains || isStep(s)
		}
	}
	return trains
}
