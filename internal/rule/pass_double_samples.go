package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// doubleSamples reports datasets that give arrays or tensors of float64 which a training step turns into float32.
func (p *SourcePass) doubleSamples() {
	for _, fn := range p.Module.Functions {
		if fn.BaseName() != "__getitem__" || fn.Class == nil {
			continue
		}
		if path, ok := p.CalledForEverySample(fn); !ok || path.Kind != project.DataSet || path.Root != fn {
			continue
		}
		for _, r := range fn.Returns() {
			parts := []pysrc.Expr{r}
			switch r := r.(type) {
			case *pysrc.Tuple:
				parts = r.Elts
			case *pysrc.List:
				parts = r.Elts
			case *pysrc.Dict:
				parts = r.Values
			}
			at := slices.IndexFunc(parts, func(e pysrc.Expr) bool { return p.isDoubleArray(fn, e, 0) })
			if at < 0 {
				continue
			}
			cast := p.castInStep()
			if cast == nil {
				return
			}
			p.Report(parts[at], probable*p.GPU()).At(Advice).Because(*cast).Because(p.madeAsDouble(fn, parts[at])...).
				Saying("samples are float64, and each step turns them into float32").
				Advising("Convert them where they are made, x.astype(np.float32): half the bytes then go through the workers and to the GPU.")
			break
		}
	}
}

// castInStep is where a training step near this module turns what it was given into float32; nil where none does.
func (p *SourcePass) castInStep() *project.Step {
	for _, m := range p.Near() {
		q := p.In(m)
		if casts := q.castsOfBatches(); len(casts) > 0 {
			at := q.At(casts[0], "turned into float32 here")
			return &at
		}
	}
	return nil
}

// castsOfBatches are where training steps of this module turn what they were given into float32.
func (p *SourcePass) castsOfBatches() (list []Call) {
	for _, c := range p.MethodCalls("float", "to") {
		if c.Method() == "to" && !strings.HasSuffix(p.Text(c.Node), "torch.float32)") || len(c.Node.Args) > 0 && c.Method() == "float" {
			continue
		}
		from := innermost(c.Receiver())
		if moved, ok := from.(*pysrc.Call); ok && len(moved.Args) > 0 { // to_gpu(x).float()
			from = moved.Args[0]
		}
		if !isName(from) {
			continue
		}
		if way, hot := p.EachStep(c); hot && way.Kind == project.TrainingLoop {
			list = append(list, c)
		}
	}
	return list
}

// innermost is the object of a chain of methods: x of x.float().to(device).
func innermost(e pysrc.Expr) pysrc.Expr {
	for {
		c, ok := e.(*pysrc.Call)
		if !ok {
			return e
		}
		f, ok := c.Func.(*pysrc.Attribute)
		if !ok {
			return e
		}
		e = f.Value
	}
}

// isDoubleArray reports an expression in a method whose value is an array or tensor of float64.
func (p *SourcePass) isDoubleArray(fn *project.Function, e pysrc.Expr, depth int) bool {
	if depth > 8 {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Name:
		if value := p.madeBeforeTransforms(fn, x); value != nil {
			return p.isDoubleArray(fn, value, depth+1)
		}
		list, given := p.Module.SaidOrGiven(x) // scaled, or as the table has it
		return !given && fn.BaseName() != "__getitem__" && slices.ContainsFunc(list, func(s project.Said) bool { return s.Place < 0 && p.isDoubleArray(fn, s.Value, depth+1) })
	case *pysrc.Attribute:
		if !project.IsSelf(x.Value) || fn.Class == nil {
			return false
		}
		value, by := p.fieldMade(fn.Class, x.Attr)
		return value != nil && p.isDoubleArray(by, value, depth+1)
	case *pysrc.Subscript:
		return p.isDoubleArray(fn, x.Value, depth+1)
	case *pysrc.BinOp:
		return p.isDoubleArray(fn, x.Left, depth+1) || p.isDoubleArray(fn, x.Right, depth+1)
	case *pysrc.Call:
		return p.givesDouble(fn, x, depth)
	}
	return false
}

// madeBeforeTransforms is the one value of a variable, aside from what a function makes of it: x = np.zeros(n); x = self.transform(x).
func (p *SourcePass) madeBeforeTransforms(fn *project.Function, x *pysrc.Name) pysrc.Expr {
	if value := p.Module.SaidOnce(x); value != nil {
		return value
	}
	var made pysrc.Expr
	several := false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		a, ok := n.(*pysrc.Assign)
		if !ok || len(a.Targets) != 1 || !slices.ContainsFunc(append(elementsOf(a.Targets[0]), a.Targets[0]), func(t pysrc.Expr) bool { return isNamed(t, x.ID) }) {
			return true
		}
		c, called := a.Value.(*pysrc.Call)
		if called && project.FieldOfSelf(c.Func) != "" && slices.ContainsFunc(c.Args, func(given pysrc.Expr) bool { return isNamed(given, x.ID) }) {
			return true
		}
		several = several || made != nil || !isNamed(a.Targets[0], x.ID)
		made = a.Value
		return true
	})
	if several {
		return nil
	}
	return made
}

// madeAsDouble is where a variable that a sample holds is made, or nothing.
func (p *SourcePass) madeAsDouble(fn *project.Function, e pysrc.Expr) []any {
	if c, ok := e.(*pysrc.Call); ok && len(c.Args) > 0 {
		e = c.Args[0]
	}
	if name, ok := e.(*pysrc.Name); ok {
		if value := p.madeBeforeTransforms(fn, name); value != nil {
			return []any{p.At(value, "made as float64")}
		}
	}
	return nil
}

// onlyField is what the constructor of a class gives a field that nothing else sets; nil where it is not known.
func (p *SourcePass) onlyField(class *project.Class, name string) pysrc.Expr {
	if value, by := p.fieldMade(class, name); value != nil && by.BaseName() == "__init__" {
		return value
	}
	return nil
}

// fieldMade is what the constructor of a class, or a method that it calls, gives a field that nothing else sets, and which of
// them does; nil where it is not known.
func (p *SourcePass) fieldMade(class *project.Class, name string) (value pysrc.Expr, by *project.Function) {
	for _, a := range p.Module.Assignments {
		t, ok := a.Target.(*pysrc.Attribute)
		if !ok || t.Attr != name || !project.IsSelf(t.Value) || a.Func == nil || a.Func.Class != class {
			continue
		}
		if value != nil || !setsUp(class, a.Func) || a.Augmented {
			return nil, nil
		}
		value, by = a.Value, a.Func
	}
	return value, by
}

// setsUp reports the constructor of a class, and what it calls of the object: self.read_data().
func setsUp(class *project.Class, fn *project.Function) bool {
	init := class.Method("__init__")
	return fn.BaseName() == "__init__" || init != nil && slices.ContainsFunc(init.Sites, func(s *project.Site) bool { return s.Calls.Func == fn })
}

// givesDouble is isDoubleArray for a call.
func (p *SourcePass) givesDouble(fn *project.Function, x *pysrc.Call, depth int) bool {
	if k := x.Keyword("dtype"); k != nil {
		return p.isDoubleType(k.Value)
	}
	name := p.NameOf(x.Func)
	if f, ok := x.Func.(*pysrc.Attribute); ok {
		switch f.Attr {
		case "astype":
			return len(x.Args) > 0 && p.isDoubleType(x.Args[0])
		case "double":
			return len(x.Args) == 0
		case "transform", "fit_transform":
			return strings.HasPrefix(p.Eval(f.Value).Name, "sklearn.preprocessing.") && !slices.ContainsFunc(x.Args, p.castBefore)
		case "get_fdata": // of nibabel
			return len(x.Args) == 0
		case "copy", "reshape", "transpose", "squeeze", "clip", "flatten", "ravel", "movedim", "permute", "unsqueeze", "contiguous":
			if !strings.HasPrefix(name, "numpy.") {
				return p.isDoubleArray(fn, f.Value, depth+1)
			}
		}
	}
	switch name {
	case "numpy.random.rand", "numpy.random.randn", "numpy.random.normal", "numpy.random.uniform", "numpy.random.random", "numpy.linspace", "numpy.loadtxt":
		return true
	case "numpy.zeros", "numpy.ones", "numpy.empty", "numpy.eye", "numpy.identity":
		return len(x.Args) == 1
	case "torch.from_numpy", "torch.as_tensor", "torch.tensor", "numpy.asarray", "numpy.array", "numpy.ascontiguousarray",
		"numpy.log", "numpy.log1p", "numpy.exp", "numpy.sqrt", "numpy.abs", "numpy.clip", "numpy.tanh", "numpy.expand_dims", "numpy.transpose":
		return len(x.Args) > 0 && p.isDoubleArray(fn, x.Args[0], depth+1)
	}
	return false
}

// castBefore reports an argument that is turned into float32 on the way: x.astype(np.float32).
func (p *SourcePass) castBefore(e pysrc.Expr) bool {
	return strings.Contains(p.Text(e), "float32")
}

// isDoubleType reports float64 as NumPy, torch or Python write it.
func (p *SourcePass) isDoubleType(e pysrc.Expr) bool {
	v := p.Eval(e)
	text, _ := v.Str()
	switch v.Name {
	case "numpy.float64", "numpy.double", "numpy.float_", "float", "torch.float64":
		return true
	}
	return text == "float64" || text == "double" || text == "f8"
}
