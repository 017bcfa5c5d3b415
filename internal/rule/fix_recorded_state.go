package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// steady reports a step whose objects nobody changes between two steps on the host: a recording would go on with what it
// saw. What the optimizer is set to is read anew for each step.
func (r *recorded) steady() bool {
	read := r.objects()
	if r.loop == nil {
		return r.unchanged(read)
	}
	span, fine := r.bounds(), true
	pysrc.Inspect(r.loop, func(n pysrc.Node) bool {
		if b := n.Bounds(); b.Start >= span.Start && b.End <= span.End {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Attribute, *pysrc.Subscript:
			fine = fine && (!stored(n) || !r.concerns(read, dottedBase(n.(pysrc.Expr))))
		case *pysrc.Call:
			fine = fine && !r.changedBy(read, n)
		}
		return fine
	})
	return fine
}

// objects are the names that the step reads and that the loop does not set: model, self.criterion.
func (r *recorded) objects() (list []string) {
	for _, s := range r.stmts {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			e, ok := n.(pysrc.Expr)
			if !ok {
				return true
			}
			name := pysrc.DottedName(e)
			root, _, _ := strings.Cut(name, ".")
			if name == "" || r.sets[root] || root == "torch" {
				return true
			}
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
			return false
		})
	}
	return list
}

// concerns reports a name that is one of the objects, a part of one, or what one is a part of; but for the optimizer's settings.
func (r *recorded) concerns(objects []string, name string) bool {
	if name == "" || strings.HasPrefix(name, r.optimizer+".param_groups") {
		return false
	}
	return slices.ContainsFunc(objects, func(o string) bool {
		return o == name || strings.HasPrefix(name, o+".") || strings.HasPrefix(o, name+".")
	})
}

// changedBy reports a method call between two steps that may change an object of the step: one that the project shows to set
// something, or one that no source shows and that every step calls with something new, such as model.set_temperature(t).
func (r *recorded) changedBy(objects []string, call *pysrc.Call) bool {
	f, ok := call.Func.(*pysrc.Attribute)
	of := ""
	if ok {
		of = pysrc.DottedName(f.Value)
	}
	if of == "" || of == r.optimizer || !slices.Contains(objects, of) {
		return false
	}
	if class := r.p.Eval(f.Value).Class; class != nil {
		if fn := class.Method(f.Attr); fn != nil && fn.Def != nil {
			return setsOwn(fn.Def, nil)
		}
	}
	fresh := false
	for _, e := range argumentsOf(call) {
		r.eachName(e, func(n *pysrc.Name) { fresh = fresh || r.sets[n.ID] })
	}
	return fresh && slices.Contains(pysrc.LoopBody(r.p.LoopAround(call)), r.p.Module.StatementAt(call.Start))
}

// counts reports a module of the project that counts on the host while it computes: self.calls += 1.
func (r *recorded) counts() bool {
	for _, m := range r.p.Near() {
		for _, c := range m.Classes {
			fn := c.Method("forward")
			if fn == nil || fn.Def == nil || !c.Derives("torch.nn.Module") {
				continue
			}
			onHost := func(name string) bool { return !c.Registers(name) }
			if setsOwn(fn.Def, onHost) {
				return true
			}
		}
	}
	return false
}

// setsOwn reports a method that assigns attributes of its object; those that it adds to, if some are asked for.
func setsOwn(def *pysrc.FunctionDef, added func(name string) bool) bool {
	found := false
	pysrc.Inspect(def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.AugAssign:
			a, ok := n.Target.(*pysrc.Attribute)
			found = found || ok && project.IsSelf(a.Value) && (added == nil || added(a.Attr))
		case *pysrc.Attribute:
			found = found || added == nil && n.Ctx == pysrc.Store && project.IsSelf(n.Value)
		}
		return !found
	})
	return found
}

// dottedBase is the dotted name of what an attribute or an element is set of, as far as it is one.
func dottedBase(e pysrc.Expr) string {
	for {
		if name := pysrc.DottedName(e); name != "" {
			return name
		}
		switch x := e.(type) {
		case *pysrc.Subscript:
			e = x.Value
		case *pysrc.Attribute:
			e = x.Value
		default:
			return ""
		}
	}
}
