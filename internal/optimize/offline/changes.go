package offline

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// changesState names what a function changes for others: a count, a global variable, what it was given.
func changesState(f *project.Function) string {
	if f.BaseName() == "__init__" {
		return ""
	}
	found := ""
	eachAttributeSet(f, func(a *pysrc.Attribute, asked bool) {
		if !asked && readElsewhere(f, a) {
			found = text(f.Module, a)
		}
	})
	if found != "" {
		return found
	}
	return changedBy(f, bodyOf(f))
}

func bodyOf(f *project.Function) []pysrc.Node {
	var body []pysrc.Node
	for _, s := range f.Def.Body {
		body = append(body, s)
	}
	return body
}

// augmented names what x += y changes, if that is more than a local variable.
func augmented(f *project.Function, n *pysrc.AugAssign, given, lasting func(pysrc.Expr) bool) string {
	switch t := n.Target.(type) {
	case *pysrc.Attribute:
		return text(f.Module, t)
	case *pysrc.Subscript:
		if lasting(t) {
			return text(f.Module, t)
		}
	case *pysrc.Name:
		if n.Op != pysrc.Add && given(t) {
			return t.ID + " in place"
		}
	}
	return ""
}

// changedBy names a value that some nodes of a function change and that also exists outside them.
func changedBy(f *project.Function, nodes []pysrc.Node) string {
	found, self, local := "", selfOf(f), localNames(f)
	given := func(e pysrc.Expr) bool {
		base, _ := baseOf(e)
		return base != nil && base.ID != self && f.HasParameter(base.ID)
	}
	lasting := func(e pysrc.Expr) bool { // of the object, of the module, or what the function was given
		base, _ := baseOf(e)
		return base != nil && (base.ID == self && e != pysrc.Expr(base) || given(e) || !local[base.ID] && moduleNames(f.Module)[base.ID])
	}
	for _, root := range nodes {
		pysrc.Inspect(root, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Global:
				found = "the global " + n.Names[0]
			case *pysrc.AugAssign:
				if what := augmented(f, n, given, lasting); what != "" {
					found = what
				}
			case *pysrc.Subscript:
				if n.Ctx == pysrc.Store && given(n) {
					found = text(f.Module, n.Value)
				}
			case *pysrc.Call:
				if e := changedByCall(n); e != nil && lasting(e) {
					found = text(f.Module, e)
				}
			case *pysrc.FunctionDef, *pysrc.ClassDef:
				return false
			}
			return found == ""
		})
	}
	return found
}

// changedByCall is the collection or iterator that a call leaves otherwise than it was: voices.pop(), next(voices).
func changedByCall(call *pysrc.Call) pysrc.Expr {
	switch f := call.Func.(type) {
	case *pysrc.Attribute:
		switch f.Attr {
		case "append", "appendleft", "extend", "insert", "pop", "popleft", "popitem", "rotate", "add", "discard":
			return f.Value
		}
	case *pysrc.Name:
		if f.ID == "next" && len(call.Args) > 0 {
			return call.Args[0]
		}
	}
	return nil
}

// knowsProcess names a call whose answer depends on the process that makes it: files are made in another one than
// training.
func knowsProcess(sites []*project.Site) string {
	for _, s := range sites {
		switch s.Calls.Name {
		case "torch.utils.data.get_worker_info", "os.getpid", "multiprocessing.current_process":
			return short(s.Module(), s.Node)
		}
	}
	return ""
}

// variables are the variables of the environment that a cut and the functions it runs read by name. Keys and passwords
// decide whether an engine answers, not what it says.
func (c *cut) variables() []string {
	var list []string
	add := func(e pysrc.Expr) {
		name, ok := pysrc.StringValue(e)
		holds := func(word string) bool { return strings.Contains(strings.ToUpper(name), word) }
		if ok && !slices.Contains(list, name) && !slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD"}, holds) {
			list = append(list, name)
		}
	}
	look := func(roots []pysrc.Node) {
		for _, root := range roots {
			pysrc.Inspect(root, func(n pysrc.Node) bool {
				switch n := n.(type) {
				case *pysrc.Subscript:
					if pysrc.DottedName(n.Value) == "os.environ" {
						add(n.Slice)
					}
				case *pysrc.Call:
					switch pysrc.DottedName(n.Func) {
					case "os.getenv", "os.environ.get":
						if len(n.Args) > 0 {
							add(n.Args[0])
						}
					}
				}
				return true
			})
		}
	}
	look(c.nodes())
	for _, f := range c.funcs {
		look(bodyOf(f))
	}
	return list
}

// readElsewhere reports whether an attribute that a method sets is read before that or in another method: whether it
// carries something from one call to the next.
func readElsewhere(f *project.Function, set *pysrc.Attribute) bool {
	found := false
	for _, other := range f.Class.Methods {
		self := selfOf(other)
		pysrc.Inspect(other.Def, func(n pysrc.Node) bool {
			if a, ok := n.(*pysrc.Attribute); ok && a.Attr == set.Attr && a.Ctx == pysrc.Load && isNamed(a.Value, self) {
				found = found || other != f || a.Start < set.Start
			}
			return !found
		})
	}
	return found
}
