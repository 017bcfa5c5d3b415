package rule

import (
	"strconv"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// Constant reports whether an expression has the same value in every call of its function: it depends only on self and
// globals, and makes no calls except those that build a path or a library's object. The variables it reads must be
// constant too.
func (p *SourcePass) Constant(e pysrc.Expr) bool { return p.constant(e, nil, 0) }

// constant is Constant where some parameters of the function are known to be the same in every call.
func (p *SourcePass) constant(e pysrc.Expr, same map[string]bool, depth int) bool {
	if depth > 4 || p.eval.VariesBut(p.Module, e, same) {
		return false
	}
	fn := p.Function(e)
	constant := true
	p.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Call:
			callee := p.Eval(n.Func)
			switch lastName(n.Func) {
			case "join", "joinpath", "format", "expanduser", "resolve", "absolute", "with_suffix", "with_name":
			default:
				constant = constant && (callee.Kind == project.Type && callee.Class == nil &&
					!strings.HasPrefix(callee.Name, "tempfile.") ||
					callee.Name == "open" || strings.HasPrefix(callee.Name, "os.path."))
			}
		case *pysrc.Name:
			for _, value := range assignedIn(fn, n.ID) {
				constant = constant && p.constant(value, same, depth+1)
			}
		}
		return constant
	})
	return constant
}

// sameObject reports whether the self of a call is the same object for every sample, and not created or chosen for the
// sample: Item(row).load(), self.items[i].load().
func (p *SourcePass) sameObject(path project.Path, c Call) bool {
	method := c.Func
	for i := len(path.Calls) - 1; i >= 0 && method.Method(); i-- {
		site := path.Calls[i]
		call := Call{site, p.In(site.Module())}
		of := call.Receiver()
		switch {
		case site.Calls.Kind == project.Type: // made here
			if !call.pass.ConstantArguments(project.Path{}, call) {
				return false
			}
			of = nil
		case site.Calls.Kind == project.Instance: // self.transform(x)
			of = site.Node.Func
		}
		if of != nil && !isSuper(of) && !call.pass.Constant(of) {
			return false
		}
		method = site.Func
	}
	return true
}

// isSuper reports super(), which stands for the object itself.
func isSuper(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return ok && lastName(c.Func) == "super"
}

// Hoist returns the edits that compute an expression of a method once, at the end of its class's __init__, as
// self.name, and use that instead. It returns none if the expression needs a local variable or the class has no
// suitable __init__.
func (p *SourcePass) Hoist(e pysrc.Expr, name string) []patch.Edit {
	return p.hoist(e, []pysrc.Expr{e}, name, func(self, name string) string { return self + "." + name + " = " + p.Text(e) })
}

// hoist is Hoist with the line to write in __init__, built from the parts that are in the method now.
func (p *SourcePass) hoist(place pysrc.Expr, parts []pysrc.Expr, name string, line func(self, name string) string) []patch.Edit {
	fn := p.Function(place)
	if fn.Class == nil || fn.Def == nil || !fn.Method() || fn.BaseName() == "__init__" {
		return nil
	}
	class, self := fn.Class, fn.Self()
	last := p.endOfInit(fn, attributesOf(parts, self))
	if last == nil || p.changedInPlace(place, fn.Def) {
		return nil
	}
	for _, part := range parts {
		if p.needsLocals(part, fn, self) {
			return nil
		}
	}
	for taken := true; taken; {
		if taken = hasAttribute(class, name); taken {
			name = "_" + name
		}
	}
	name = p.ownName(class, name)
	return []patch.Edit{p.LineAfter(last, line(self, name)), p.Replace(place, self+"."+name)}
}

// changedInPlace reports an object that its function writes into, so that the next call would find it changed:
// table[0] = x, table += x, table.mul_(x), names.pop(x).
func (p *SourcePass) changedInPlace(made pysrc.Expr, fn *pysrc.FunctionDef) bool {
	name := ""
	if s, ok := p.Module.StatementAt(made.Bounds().Start).(*pysrc.Assign); ok && s.Value == made && len(s.Targets) == 1 {
		name = pysrc.DottedName(s.Targets[0])
	}
	is := func(e pysrc.Expr) bool { return e == made || name != "" && pysrc.DottedName(e) == name }
	changed := false
	pysrc.Inspect(fn, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.AugAssign:
			changed = changed || isOrPartOf(n.Target, is)
		case *pysrc.Attribute:
			changed = changed || n.Ctx != pysrc.Load && isOrPartOf(n.Value, is)
		case *pysrc.Subscript:
			changed = changed || n.Ctx != pysrc.Load && isOrPartOf(n.Value, is)
		case *pysrc.Call:
			changed = changed || callChanges(n, is)
		}
		return !changed
	})
	return changed
}

// callChanges reports whether a call modifies a value that is accepts: names.pop(x), torch.add(a, b, out=table).
func callChanges(c *pysrc.Call, is func(pysrc.Expr) bool) bool {
	if k := c.Keyword("out"); k != nil && isOrPartOf(k.Value, is) {
		return true
	}
	f, ok := c.Func.(*pysrc.Attribute)
	return ok && isOrPartOf(f.Value, is) && (inPlace(f.Attr) || writes[f.Attr] || c.Keyword("inplace") != nil)
}

// isOrPartOf reports whether is accepts an expression, or the object that it is an attribute or element of.
func isOrPartOf(e pysrc.Expr, is func(pysrc.Expr) bool) bool {
	for !is(e) {
		switch x := e.(type) {
		case *pysrc.Attribute:
			e = x.Value
		case *pysrc.Subscript:
			e = x.Value
		default:
			return false
		}
	}
	return true
}

// inPlace reports the name of a method of torch that changes what it is called on: add_, clip_grad_norm_.
func inPlace(name string) bool { return strings.HasSuffix(name, "_") && !strings.HasPrefix(name, "__") }

// writes are methods that change what they are called on.
var writes = setOfNames("append", "extend", "insert", "pop", "popitem", "remove", "clear", "update", "setdefault",
	"add", "discard", "sort", "reverse",
	"fill", "put", "resize", "setflags", "add_tokens", "add_special_tokens")

// ownName gives each attribute that is hoisted into a class a name of its own: all of them may be applied.
func (p *SourcePass) ownName(class *project.Class, name string) string {
	if p.shared.hoisted == nil {
		p.shared.hoisted = map[string]int{}
	}
	key := class.FullName() + " " + name
	p.shared.hoisted[key]++
	if n := p.shared.hoisted[key]; n > 1 {
		name += "_" + strconv.Itoa(n)
	}
	return name
}

// needsLocals reports an expression that reads a variable of its function.
func (p *SourcePass) needsLocals(e pysrc.Expr, fn *project.Function, self string) bool {
	local := map[string]bool{}
	for _, a := range fn.Def.Args.All() {
		local[a.Name] = true
	}
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			if n.Ctx == pysrc.Store {
				local[n.ID] = true
			}
		case *pysrc.Alias:
			local[n.Name], local[n.Asname] = true, true
		}
		return true
	})
	found := false
	p.Inspect(e, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok && x.ID != self && local[x.ID] {
			found = true
		}
		return !found
	})
	return found
}

// hasAttribute reports a name that the class uses for something already.
func hasAttribute(c *project.Class, name string) bool {
	found := c.Methods[name] != nil
	pysrc.Inspect(c.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok && a.Attr == name {
			found = true
		}
		return !found
	})
	return found
}

// snakeCase writes a class's name as a variable's: MelSpectrogram is mel_spectrogram.
func snakeCase(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		upper := c >= 'A' && c <= 'Z'
		if upper && i > 0 && (name[i-1] >= 'a' && name[i-1] <= 'z' ||
			i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && name[i-1] != '_') {
			b.WriteByte('_')
		}
		b.WriteByte(c)
	}
	return strings.ToLower(b.String())
}
