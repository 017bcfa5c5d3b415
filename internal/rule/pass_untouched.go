package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// untouched follows a network from where it is made to all that holds it, and asks whether anything gets at its weights: an
// optimizer, a freeze, a function that cannot be followed.
type untouched struct {
	p    *SourcePass
	seen map[string]bool // the variables, fields and classes that were followed
	void []project.Step  // network.requires_grad = False, which sets a field that nothing reads
}

// from reports whether the network that an expression of a function makes is only run and moved, wherever it goes.
func (u *untouched) from(fn *project.Function, made pysrc.Expr) bool {
	kept := false
	pysrc.InspectPath(u.p.In(fn.Module).bodyOf(made), func(n pysrc.Node, path []pysrc.Node) bool {
		if n == pysrc.Node(made) {
			kept = u.goes(fn, n, path)
		}
		return n.Bounds().Contains(int(made.Bounds().Start)) || isDefinition(n)
	})
	return kept
}

// isDefinition reports a function or class, whose decorators stand before what counts as its place.
func isDefinition(n pysrc.Node) bool {
	switch n.(type) {
	case *pysrc.FunctionDef, *pysrc.ClassDef:
		return true
	}
	return false
}

// under is from for a name that a function has for the network.
func (u *untouched) under(fn *project.Function, name string) bool {
	key := fn.Module.Path + ":" + fn.Name + ":" + name
	if fn.Lambda != nil || u.seen[key] || len(u.seen) > mostHolders {
		return u.seen[key]
	}
	u.seen[key] = true
	body := pysrc.Node(fn.Module.File.Module)
	if fn.Def != nil {
		body = fn.Def
	}
	kept := true
	pysrc.InspectPath(body, func(n pysrc.Node, path []pysrc.Node) bool {
		if e, ok := n.(pysrc.Expr); ok && kept && pysrc.DottedName(e) == name && !isStore(e) {
			kept = u.goes(fn, n, path)
		}
		return kept
	})
	return kept
}

// mostHolders is how many names of one network are followed.
const mostHolders = 40

func isStore(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		return x.Ctx == pysrc.Store
	case *pysrc.Attribute:
		return x.Ctx == pysrc.Store
	}
	return false
}

// goes climbs from a mention of the network to what is done with it.
func (u *untouched) goes(fn *project.Function, n pysrc.Node, path []pysrc.Node) bool {
	at, among := n, -1
	for _, parent := range slices.Backward(path) {
		switch x := parent.(type) {
		case *pysrc.Attribute:
			if x.Ctx == pysrc.Store && x.Attr == "requires_grad" {
				u.void = append(u.void, u.p.In(fn.Module).At(x, "this does not freeze it: a module has no such switch"))
				return true
			}
			if getsWeights[x.Attr] {
				return false
			}
			at = x
		case *pysrc.Subscript:
			if x.Value != at {
				return true // an index
			}
			at = x
		case *pysrc.Keyword: // the call above it knows its value
		case *pysrc.Tuple:
			among, at = slices.IndexFunc(x.Elts, func(e pysrc.Expr) bool { return pysrc.Node(e) == at }), x
		case *pysrc.Starred, *pysrc.List, *pysrc.Dict:
			at = x
		case *pysrc.Call:
			switch over, kept := u.called(fn, x, at); {
			case over:
				return kept
			default:
				at = x
			}
		case *pysrc.IfExp:
			if x.Test == at {
				return true
			}
			at = x
		case *pysrc.Assign:
			if to, ok := x.Targets[0].(*pysrc.Tuple); ok && x.Value == at && among >= 0 && among < len(to.Elts) {
				return u.stored(fn, to.Elts[among:among+1]) // a, b = network, other
			}
			return u.stored(fn, x.Targets)
		case *pysrc.AnnAssign:
			return u.stored(fn, []pysrc.Expr{x.Target})
		case *pysrc.For:
			return u.stored(fn, []pysrc.Expr{x.Target})
		case *pysrc.Return:
			callers := u.p.Project.Callers(fn)
			return len(callers) > 0 && !slices.ContainsFunc(callers, func(s *project.Site) bool { return !u.from(s.Func, s.Node) })
		case *pysrc.Compare, *pysrc.If, *pysrc.UnaryOp, *pysrc.BinOp, *pysrc.AugAssign, *pysrc.BoolOp, *pysrc.Assert, *pysrc.ExprStmt, *pysrc.Delete, *pysrc.FormattedValue:
			return true
		default:
			return false
		}
	}
	return false
}

// getsWeights are the attributes of a model by which its weights are trained, frozen or changed, or may be.
var getsWeights = setOfNames("parameters", "named_parameters", "modules", "named_modules", "requires_grad_", "requires_grad", "freeze",
	"unfreeze", "weight", "bias", "data", "grad", "apply", "register_parameter", "zero_grad")

// passesOn are the calls that return the network, or its parts, that they are given or called on.
var passesOn = setOfNames("cuda", "to", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "children", "named_children",
	"list", "tuple", "enumerate", "Sequential", "DataParallel", "DistributedDataParallel", "compile", "ModuleList", "deepcopy")

// called tells of a call of the network, of its methods, or of what it is given to: whether the way ends there, and well.
func (u *untouched) called(fn *project.Function, c *pysrc.Call, at pysrc.Node) (over, kept bool) {
	name := lastName(c.Func)
	if c.Func == at {
		_, method := c.Func.(*pysrc.Attribute)
		return !method || !passesOn[name], true
	}
	switch name {
	case "print", "isinstance", "hasattr", "len", "type", "id", "str":
		return true, true
	case "add_module", "append": // of a container in the same hands
		holder, ok := c.Func.(*pysrc.Attribute)
		return true, ok && pysrc.DottedName(holder.Value) != "" && u.stored(fn, []pysrc.Expr{holder.Value})
	}
	in := u.p.In(fn.Module)
	s := in.Module.SiteAt(c)
	if s == nil {
		return true, false
	}
	callee := s.Calls.Func
	if s.Calls.Kind == project.Type && s.Calls.Class != nil {
		callee = s.Calls.Class.Method("__init__")
	} else if s.Calls.Kind == project.Instance && s.Calls.Class != nil {
		callee = s.Calls.Class.Method("forward")
	}
	if callee == nil || callee.Def == nil {
		return !passesOn[name], false
	}
	for _, a := range callee.Def.Args.All() {
		if given := s.Given(callee, a.Name); given != nil && pysrc.Node(given) == at {
			return true, u.under(callee, a.Name)
		}
	}
	return true, false
}

// stored follows the network into variables, fields, and the items of a loop over its parts.
func (u *untouched) stored(fn *project.Function, targets []pysrc.Expr) bool {
	for _, t := range targets {
		name := pysrc.DottedName(t)
		field, held := strings.CutPrefix(name, fn.Self()+".")
		switch {
		case held && fn.Class != nil && fn.Self() != "" && !strings.Contains(field, "."):
			if !u.field(fn.Class, fn.Self(), field) {
				return false
			}
		case name != "" && !strings.Contains(name, "."):
			if !u.under(fn, name) {
				return false
			}
		case name == "":
			items, ok := t.(*pysrc.Tuple) // for i, layer in enumerate(network)
			if !ok || slices.ContainsFunc(items.Elts, func(e pysrc.Expr) bool { return !u.stored(fn, []pysrc.Expr{e}) }) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// field is under for a field of a class, and for the objects that a module with this field is part of.
func (u *untouched) field(c *project.Class, self, field string) bool {
	for _, k := range c.Heirs() {
		for _, m := range k.Methods {
			if !u.under(m, self+"."+field) {
				return false
			}
		}
	}
	switch {
	case u.p.changedOutside(c, field):
		return false
	case !c.Derives("torch.nn.Module"):
		return true
	}
	return !weighsItself(c) && (c.Derives("lightning.pytorch.LightningModule") || u.objects(c))
}

// weighsItself reports a class whose methods get at the weights of the whole object: self.parameters().
func weighsItself(c *project.Class) bool {
	return slices.ContainsFunc(c.Heirs(), func(k *project.Class) bool {
		found := false
		pysrc.Inspect(k.Def, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Attribute)
			found = found || ok && a.Ctx != pysrc.Store && getsWeights[a.Attr] && isNamed(a.Value, "self")
			return !found
		})
		return found
	})
}

// objects is from for all objects of a class.
func (u *untouched) objects(c *project.Class) bool {
	key := "class " + c.FullName()
	if u.seen[key] {
		return true
	}
	u.seen[key] = true
	made := 0
	for _, m := range u.p.Near() {
		for _, s := range m.Sites {
			if s.Calls.Kind != project.Type || s.Calls.Class == nil || !slices.Contains(c.Heirs(), s.Calls.Class) {
				continue
			}
			if made++; !u.from(s.Func, s.Node) {
				return false
			}
		}
	}
	return made > 0
}
