package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Many programs keep their settings in an object whose attributes are assigned one by one, in a function or module of its
// own: config = ConfigDict(); config.data = ConfigDict(); config.data.workers = 0.

// configRoot is where such an object is made: the beginning of the expression that holds its first contents.
type configRoot struct {
	module *Module
	at     int32
}

// configPart is an object that another one holds, at a dotted path below it.
type configPart struct {
	root configRoot
	path string
	made pysrc.Expr // the first contents of the root
}

// configKey is a setting of an object.
type configKey struct {
	root configRoot
	path string
}

// below is a setting of the object that the key holds.
func (k configKey) below(name string) configKey {
	if k.path == "" {
		return configKey{k.root, name}
	}
	return configKey{k.root, k.path + "." + name}
}

// gatherConfigObjects lists what is assigned to the attributes of such objects.
func (p *Project) gatherConfigObjects() {
	p.configSet, p.configParts, p.configRoots = map[configKey][]*Assignment{}, map[configRoot]configPart{}, map[configRoot]bool{}
	for _, m := range p.Modules {
		for _, a := range m.Assignments {
			if _, ok := a.Target.(*pysrc.Attribute); !ok || a.Value == nil || a.Augmented {
				continue
			}
			name, path, ok := strings.Cut(pysrc.DottedName(a.Target), ".")
			if !ok {
				continue
			}
			part, ok := p.configNamed(m, m.blocks[a.Block].Scope, name)
			if !ok {
				continue
			}
			if part.path != "" {
				path = part.path + "." + path
			}
			if made := contentsOf(a.Value); made != nil {
				p.configParts[configRoot{m, made.Bounds().Start}] = configPart{part.root, path, part.made}
			}
			p.findConfigParts(m, part, path)
			key := configKey{part.root, path}
			p.configSet[key] = append(p.configSet[key], a)
			p.configRoots[part.root] = true
		}
	}
}

// findConfigParts notes the objects on the way to a setting that the first contents of its root hold.
func (p *Project) findConfigParts(m *Module, of configPart, path string) {
	at, keys := of.made, strings.Split(path, ".")
	for i, key := range keys[:len(keys)-1] {
		d, ok := at.(*pysrc.Dict)
		if call, made := at.(*pysrc.Call); made {
			d, ok = keywordsOf(call), true
		}
		if !ok {
			return
		}
		at = nil
		for k := range d.Keys {
			if name, ok := pysrc.StringValue(d.Keys[k]); ok && d.Keys[k] != nil && name == key {
				at = d.Values[k]
			}
		}
		if at == nil {
			return
		}
		root := configRoot{m, at.Bounds().Start}
		if _, known := p.configParts[root]; !known {
			p.configParts[root] = configPart{of.root, strings.Join(keys[:i+1], "."), of.made}
		}
	}
}

// configNamed is the object that a name holds in a module, which it is given once: by its making, by another name, or
// by an assignment that also gives it to another object.
func (p *Project) configNamed(m *Module, sc *Scope, name string) (configPart, bool) {
	for range 3 {
		_, b := sc.find(name)
		if b == nil || b.prior != nil || b.Kind != Assigned || b.Value == nil {
			return configPart{}, false
		}
		switch x := b.Value.(type) {
		case *pysrc.Call:
			made := contentsOf(x)
			if made == nil {
				return configPart{}, false
			}
			root := configRoot{m, made.Bounds().Start}
			if part, ok := p.configParts[root]; ok {
				return part, true
			}
			return configPart{root: root, made: made}, true
		case *pysrc.Name:
			name = x.ID
		default:
			return configPart{}, false
		}
	}
	return configPart{}, false
}

// contentsOf is the expression that holds the first contents of the object that a call may make, nil for anything else:
// the dictionary in ConfigDict({"lr": 1}), the call itself in ConfigDict() and EasyDict(lr=1).
func contentsOf(x pysrc.Expr) pysrc.Expr {
	call, ok := x.(*pysrc.Call)
	if !ok {
		return nil
	}
	switch {
	case len(call.Args) == 1 && len(call.Keywords) == 0:
		return call.Args[0]
	case len(call.Args) == 0 && len(call.Keywords) == 1 && call.Keywords[0].Name == "":
		return call.Keywords[0].Value
	}
	return call
}

// changedConfig notes that a variable holds an object which a call returns, and that its module assigns to it: what
// config = base.get_config() brings, and config.lr = 1 changes.
func (e *Eval) changedConfig(v Value, b *Binding) Value {
	call, ok := b.Value.(*pysrc.Call)
	if !ok || v.Kind != Display || !v.attributes || b.path != 0 {
		return v
	}
	root := configRoot{b.Scope.Module, contentsOf(call).Bounds().Start}
	if own := (configRoot{v.scope.Module, v.Expr.Bounds().Start}); root == own || !e.p.configRoots[root] {
		return v
	}
	m := v.moreOf()
	m.changed = append(m.changed[:len(m.changed):len(m.changed)], configKey{root: root})
	v.more = &m
	return v
}

// assignedIn tells what is assigned to an attribute of an object that holds settings: by those who have it last, first.
func (e *Eval) assignedIn(object Value, name string) (Value, bool) {
	if len(e.p.configSet) == 0 || object.scope == nil || object.Expr == nil {
		return Value{}, false
	}
	for _, key := range slices.Backward(object.configKeys(e.p, name)) {
		set := e.p.configSet[key]
		if len(set) == 0 {
			continue
		}
		if len(set) > mostCallers {
			return Value{}, true
		}
		var values []Value
		for _, a := range set {
			v := e.once(a, func() Value { return e.expr(a.Value, a.Module.blocks[a.Block].Scope) })
			values = append(values, v.via(ByVariable).lessSure(Likely))
		}
		return merge(values), true
	}
	return Value{}, false
}

// configKeys are the settings that an attribute of an object may be: of where it was made, and of the variables that hold
// what holds it.
func (v *Value) configKeys(p *Project, name string) []configKey {
	own := configKey{configRoot{v.scope.Module, v.Expr.Bounds().Start}, name}
	if part, ok := p.configParts[own.root]; ok {
		own = configKey{part.root, part.path + "." + name}
	}
	keys := []configKey{own}
	for _, c := range v.changed() {
		keys = append(keys, c.below(name))
	}
	return keys
}

// within gives a part of an object what variables that hold the object change in it.
func (v Value) within(object Value, name string) Value {
	if v.Kind != Display || len(object.changed()) == 0 {
		return v
	}
	m := v.moreOf()
	m.changed = nil
	for _, c := range object.changed() {
		m.changed = append(m.changed, c.below(name))
	}
	v.more = &m
	return v
}

// configFile is the object that the module returns which DEFINE_config_file names.
func (e *Eval) configFile(path Value) Value {
	file, ok := path.Str()
	file, _, _ = strings.Cut(file, ".py:") // configs/base.py:variant
	file = strings.TrimPrefix(strings.TrimSuffix(slashed(file), ".py"), "./")
	if !ok || file == "" {
		return Value{}
	}
	for _, m := range e.p.Modules {
		at := strings.TrimSuffix(slashed(e.p.relative(m.Path)), ".py")
		if at != file && !strings.HasSuffix(at, "/"+file) {
			continue
		}
		if b := m.Scope.last("get_config"); b != nil && b.Kind == Defined {
			return e.returned(b.func_)
		}
	}
	return Value{}
}
