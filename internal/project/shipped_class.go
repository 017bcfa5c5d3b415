package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// classSetting is a setting that stands in the body of a class, as hp.cached does for class Params: cached = True, where no
// statement, script or settings file of the project gives it another value.
func (e *Eval) classSetting(m *Module, x *pysrc.Attribute) (Value, bool) {
	if IsSelf(x.Value) || len(e.p.AssignmentsTo(x.Attr)) > 0 || e.p.givenByScripts(x.Attr) {
		return Value{}, false
	}
	of := e.Of(m, x.Value)
	if of.Class == nil || of.Kind != Type || len(of.Class.subs) > 0 {
		return Value{}, false
	}
	b := of.Class.Scope.last(x.Attr)
	if b == nil || b.Kind != Assigned || b.prior != nil || b.path != 0 {
		return Value{}, false
	}
	c, ok := b.Value.(*pysrc.Constant)
	if !ok {
		return Value{}, false
	}
	v := Value{Kind: Literal, Scalar: scalarOf(c)}
	return v, e.p.nobodySetsOther(x.Attr, v)
}

// nobodySetsOther reports a key that all settings files of the project leave out, or give this value.
func (p *Project) nobodySetsOther(name string, v Value) bool {
	return !slices.ContainsFunc(p.Settings, func(f *Settings) bool {
		return f.Role != Test && f.Top != nil && slices.ContainsFunc(f.Find("."+name), func(s *Setting) bool {
			return s.Kind != ScalarSetting || s.Scalar != v.Scalar
		})
	})
}

// onlySetting is the value of a key for which all settings files that have it say the same, where it is not known which of
// them is looked into: options["prefetch"], options.get("prefetch").
func (e *Eval) onlySetting(m *Module, of pysrc.Expr, key string) (found Value, known bool) {
	v := e.Of(m, of)
	if v.Kind != Unknown && (v.Kind != Instance || v.Class == nil || v.Class.attrs[key] != nil || v.Class.Scope.last(key) != nil) ||
		e.p.givenByScripts(key) || !e.p.setsKey(key) {
		return Value{}, false
	}
	for _, f := range e.p.Settings {
		if f.Role == Test || f.Top == nil {
			continue
		}
		for _, s := range f.Find("." + key) {
			if s.Kind != ScalarSetting || known && s.Scalar != found.Scalar {
				return Value{}, false
			}
			found, known = Value{Kind: Literal, Scalar: s.Scalar}, true
		}
	}
	return found, known
}

// agree reports a value for which all settings files of the project that have its key, in a group of the same name, say the
// same.
func (p *Project) agree(v Value) bool {
	if v.Setting == nil || v.Kind != Literal {
		return false
	}
	path := v.Setting.Key
	if up := v.Setting.Parent; up != nil && up.Parent != nil && up.Key != "" {
		path = up.Key + "." + path
	}
	return p.nobodySetsOther(path, v)
}

// otherCase is name.lower() and the like of what defaults give.
func (e *Eval) otherCase(m *Module, x *pysrc.Call, depth int) (Value, bool) {
	f, ok := x.Func.(*pysrc.Attribute)
	if !ok || len(x.Args)+len(x.Keywords) > 0 {
		return Value{}, false
	}
	change := map[string]func(string) string{"lower": strings.ToLower, "upper": strings.ToUpper, "strip": strings.TrimSpace}[f.Attr]
	if change == nil {
		return Value{}, false
	}
	v, known := e.followed(m, f.Value, depth+1)
	if v.Scalar.Type != String {
		return Value{}, false
	}
	v.Scalar.Text = change(v.Scalar.Text)
	return v, known
}
