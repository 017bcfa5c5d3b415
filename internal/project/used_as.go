package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// use is what a variable turns out to be by what is done with it.
type use uint8

const (
	asModel use = iota + 1
	asDevice
)

// modelMethods are those that only models have, among what training code holds.
var modelMethods = setOf("parameters", "named_parameters", "modules", "named_modules", "children", "named_children", "eval")

// usedKey is a variable of a scope, or a field of a class.
type usedKey struct {
	scope *Scope
	class *Class
	name  string
	as    use
}

// deepestUse is through how many assignments and calls a variable is followed.
const deepestUse = 4

// UsedAsModel reports a variable or field that is used as a model: somebody asks it for its parameters or switches it to
// evaluation, under this name or another that it is handed on by. A name alone says nothing.
func (p *Project) UsedAsModel(m *Module, x pysrc.Expr) bool { return p.usedAs(asModel, m, x, 0) }

// UsedAsDevice reports a variable or field that is used as a device: a tensor is made there, or it becomes the current one.
func (p *Project) UsedAsDevice(m *Module, x pysrc.Expr) bool { return p.usedAs(asDevice, m, x, 0) }

func (p *Project) usedAs(as use, m *Module, x pysrc.Expr, depth int) bool {
	if depth > deepestUse {
		return false
	}
	switch x := x.(type) {
	case *pysrc.Name:
		holder, b := m.scopeAt(x).find(x.ID)
		return b != nil && p.variableUsedAs(as, holder, x.ID, depth)
	case *pysrc.Attribute:
		if x.Attr == "module" && as == asModel { // of DataParallel
			return p.usedAs(as, m, x.Value, depth)
		}
		if c := m.ClassAt(x.Start); c != nil && IsSelf(x.Value) {
			return p.fieldUsedAs(as, c, x.Attr, depth)
		}
	case *pysrc.Call: // net.cuda(), DataParallel(net), accelerator.prepare(net)
		if as != asModel {
			return false
		}
		if a, ok := x.Func.(*pysrc.Attribute); ok && movesModel[a.Attr] {
			return p.usedAs(as, m, a.Value, depth+1)
		}
		if len(x.Args) > 0 && wrapsModel[lastName(x.Func)] {
			return p.usedAs(as, m, x.Args[0], depth+1)
		}
	}
	return false
}

var (
	movesModel = setOf("cuda", "to", "half", "float", "bfloat16", "train")
	wrapsModel = setOf("DataParallel", "DistributedDataParallel", "DDP", "FSDP", "FullyShardedDataParallel", "compile", "prepare", "setup", "prepare_model")
)

// variableUsedAs is usedAs for the variable of a scope: by what is called on it, by what it is set to, by what callers give
// for it, and by what functions do with it that it is given to.
func (p *Project) variableUsedAs(as use, holder *Scope, name string, depth int) bool {
	m := holder.Module
	if m.usedHere()[usedKey{holder, nil, name, as}] {
		return true
	}
	for b := holder.last(name); b != nil; b = b.prior {
		if b.Kind == Assigned && b.path == 0 && !mentionsDotted(b.Value, name) && p.usedAs(as, m, b.Value, depth+1) {
			return true
		}
	}
	fn := holder.Func
	if fn != nil && fn.HasParameter(name) {
		found, at := false, fn.position(name)
		for i, s := range fn.callers() {
			if i < mostCallers && !found {
				given := s.passes(fn, name, at)
				found = given != nil && p.usedAs(as, s.Module(), given, depth+1)
			}
		}
		if found {
			return true
		}
	}
	return depth < deepestUse && slices.ContainsFunc(m.handing()[usedKey{holder, nil, name, 0}], func(h handedOn) bool {
		return slices.ContainsFunc(h.site.Calls.functions(), func(f *Function) bool {
			params := f.Params()
			if params == nil {
				return false
			}
			for i, a := range params.All() {
				if s := h.site; s.passes(f, a.Name, i) == h.given && s.passes(f, a.Name, f.position(a.Name)) == h.given {
					return f.Module.usedHere()[usedKey{f.Scope, nil, a.Name, as}]
				}
			}
			return false
		})
	})
}

// fieldUsedAs is usedAs for a field of the objects of a class.
func (p *Project) fieldUsedAs(as use, c *Class, name string, depth int) bool {
	for _, other := range append(c.Heirs(), c.ancestry()...) {
		if other.Module.usedHere()[usedKey{nil, other, name, as}] {
			return true
		}
		for _, a := range other.attrs[name] {
			if a.value != nil && a.path == 0 && p.usedAs(as, other.Module, a.value, depth+1) {
				return true
			}
		}
	}
	return false
}

// usedHere are the variables and fields that a module uses as something itself.
func (m *Module) usedHere() map[usedKey]bool {
	m.usedOnce.Do(m.findUsed)
	return m.used
}

// handedOn is a call that is given a variable.
type handedOn struct {
	site  *Site
	given pysrc.Expr
}

// handing lists the calls of the project's functions by the variables that they are given.
func (m *Module) handing() map[usedKey][]handedOn {
	m.usedOnce.Do(m.findUsed)
	return m.handed
}

func (m *Module) findUsed() {
	m.used, m.handed = map[usedKey]bool{}, map[usedKey][]handedOn{}
	for _, s := range m.Sites {
		mark := func(as use, list ...pysrc.Expr) {
			for _, x := range list {
				if key, ok := m.usedKeyOf(x, s); ok {
					key.as = as
					m.used[key] = true
				}
			}
		}
		method := s.Method()
		if modelMethods[method] && (method != "eval" || len(s.Node.Args) == 0) {
			mark(asModel, s.Node.Func.(*pysrc.Attribute).Value)
		}
		if name := s.Calls.Name; len(s.Node.Args) > 0 && (method == "cuda" || name == "torch.device" || name == "torch.cuda.set_device" || name == "torch.cuda.device") {
			mark(asDevice, s.Node.Args[0])
		}
		for _, k := range s.Node.Keywords {
			switch k.Name {
			case "device", "map_location", "output_device":
				mark(asDevice, k.Value)
			case "device_ids":
				mark(asDevice, elements(k.Value)...)
			}
		}
		if len(s.Calls.functions()) == 0 {
			continue
		}
		hand := func(given pysrc.Expr) {
			if name, ok := given.(*pysrc.Name); ok {
				if key, ok := m.usedKeyOf(name, s); ok {
					m.handed[key] = append(m.handed[key], handedOn{s, given})
				}
			}
		}
		for _, a := range s.Node.Args {
			hand(a)
		}
		for _, k := range s.Node.Keywords {
			hand(k.Value)
		}
	}
}

// usedKeyOf is the key of a variable, or of a field of self, as a call sees it.
func (m *Module) usedKeyOf(x pysrc.Expr, at *Site) (usedKey, bool) {
	switch x := x.(type) {
	case *pysrc.Name:
		holder, b := at.scope().find(x.ID)
		return usedKey{scope: holder, name: x.ID}, b != nil && b.Kind != Imported && b.Kind != ClassNamed && b.Kind != Defined
	case *pysrc.Attribute:
		if x.Attr == "module" {
			return m.usedKeyOf(x.Value, at)
		}
		c := m.ClassAt(x.Start)
		return usedKey{class: c, name: x.Attr}, c != nil && IsSelf(x.Value)
	}
	return usedKey{}, false
}
