package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// configNodes are classes of libraries whose objects hold settings by dotted names that a program assigns one by one:
// _C.DATA.PIN_MEMORY = True.
var configNodes = []string{"yacs.config.CfgNode", "ml_collections.ConfigDict", "ml_collections.config_dict.ConfigDict", "types.SimpleNamespace", "fvcore.common.config.CfgNode"}

// configPath is the dotted name of a setting, without the library's name for the node that holds it.
func configPath(name string) (path string, ok bool) {
	for _, node := range configNodes {
		rest, below := strings.CutPrefix(name, node)
		switch {
		case !below:
		case rest == "":
			return "", true
		case rest[0] == '.':
			return rest[1:] + ".", true
		}
	}
	return "", false
}

// gatherConfigs lists the assignments to attributes of something, by the dotted name without the first part. A variable
// that holds a part of the settings is followed: config.train = train = ConfigDict(); train.steps = 9.
func (p *Project) gatherConfigs() {
	p.configs = map[string][]*Assignment{}
	for _, m := range p.Modules {
		if !m.imports["yacs"] && !m.imports["ml_collections"] && !m.imports["fvcore"] && !m.imports["types"] {
			continue
		}
		parts := map[pysrc.Expr]string{} // what makes a part, by its path
		for _, a := range m.Assignments {
			if _, ok := a.Target.(*pysrc.Attribute); !ok || a.Value == nil {
				continue
			}
			root, path, ok := strings.Cut(pysrc.DottedName(a.Target), ".")
			if !ok {
				continue
			}
			if _, b := m.blocks[a.Block].Scope.find(root); b != nil && b.prior == nil && b.Value != nil && parts[b.Value] != "" {
				path = parts[b.Value] + "." + path
			}
			parts[a.Value] = path
			p.configs[path] = append(p.configs[path], a)
		}
	}
}

// configured returns the value of a setting: what the project assigns to its dotted name.
func (e *Eval) configured(of, name string) (Value, bool) {
	if len(e.p.configs) == 0 {
		return Value{}, false
	}
	path, ok := configPath(of)
	if !ok {
		return Value{}, false
	}
	set := e.p.configs[path+name]
	if len(set) == 0 || len(set) > mostCallers {
		return Value{}, false
	}
	set = e.shippedOf(set)
	var values []Value
	for _, a := range set {
		v := e.once(a, func() Value { return e.expr(a.Value, a.Module.blocks[a.Block].Scope).via(ByVariable) })
		if empty, ok := a.Value.(*pysrc.Call); v.Kind != Literal && v.Kind != Display || ok && len(empty.Args)+len(empty.Keywords) == 0 {
			return Value{}, false // another node
		}
		values = append(values, v.lessSure(Likely))
	}
	return e.mergedOver(path+name, merge(values)), true
}

// shippedOf are the assignments to a setting that run as the project is shipped: not those behind an option that nobody gives, as
// in if args.zip: config.DATA.ZIP_MODE = True.
func (e *Eval) shippedOf(set []*Assignment) []*Assignment {
	if len(set) < 2 || e.plain {
		return set
	}
	var kept []*Assignment
	for _, a := range set {
		if e.defaults().leftOutAt(a.Module, a.Target.Bounds().Start) == nil {
			kept = append(kept, a)
		}
	}
	if len(kept) == 0 {
		return set
	}
	return kept
}

// configuredByDefault is the literal that a setting has as the project is shipped, where neither a settings file nor a script changes it.
func (e *Eval) configuredByDefault(m *Module, x *pysrc.Attribute) (v Value, known bool) {
	if e.p.setsKey(x.Attr) || e.p.givenByScripts(x.Attr) {
		return Value{}, false
	}
	path, ok := configPath(e.Of(m, x.Value).Name)
	if !ok {
		return Value{}, false
	}
	for i, a := range e.shippedOf(e.p.configs[path+x.Attr]) {
		c, plain := a.Value.(*pysrc.Constant)
		if !plain || i > 0 && scalarOf(c) != v.Scalar {
			return Value{}, false
		}
		v, known = Value{Kind: Literal, Scalar: scalarOf(c)}, true
	}
	return v, known
}
