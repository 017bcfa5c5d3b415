package project

import "saturate/internal/pysrc"

// absentSetting reports a key that settings do not have as the project is shipped: no settings file says it, and no code puts it there.
func (e *Eval) absentSetting(m *Module, of pysrc.Expr, key string) bool {
	e.steps = mostSteps
	v := e.Of(m, of)
	if !v.isMapping() || v.Kind == Instance && isNamespace(v.Name) {
		return false
	}
	if held := e.item(v, stringValue(key)); held.Kind != Missing && (held.Kind != Unknown || len(held.Either) > 0) {
		return false
	}
	return !e.p.setsKey(key) && !e.p.givenByScripts(key) && !e.p.putsKey(key)
}

// putsKey reports a module that puts something under a key into a dictionary.
func (p *Project) putsKey(key string) bool {
	for _, m := range p.Modules {
		if m.Role == Test || !m.Says(key) {
			continue
		}
		if m.Says(`"`+key+`":`) || m.Says("'"+key+"':") || m.Says(key+"=") {
			return true
		}
		for _, a := range m.Assignments {
			if item, ok := a.Target.(*pysrc.Subscript); ok {
				if text, ok := pysrc.StringValue(item.Slice); ok && text == key {
					return true
				}
			}
		}
	}
	return false
}

// hasField answers hasattr(self, name) where the arms that set the field, or leave it out, are known.
func (e *Eval) hasField(m *Module, test *pysrc.Call) (has, known bool) {
	if lastName(test.Func) != "hasattr" || len(test.Args) != 2 || !IsSelf(test.Args[0]) {
		return false, false
	}
	name, ok := pysrc.StringValue(test.Args[1])
	c := m.FunctionAt(test.Start).Class
	if !ok || c == nil || c.registers(name) || c.Method(name) != nil {
		return false, false
	}
	count := 0
	c.each(func(c *Class) bool {
		if c.Scope.last(name) != nil {
			known = true // of the class itself
		}
		for _, a := range c.attrs[name] {
			count++
			switch e.setAsShipped(a.fn.Module, a.block, a.fn.body, -1) {
			case maybe:
				known = true
			case always:
				known, has = known || a.fn.BaseName() != "__init__", true
			}
		}
		return true
	})
	return has, count > 0 && !known
}
