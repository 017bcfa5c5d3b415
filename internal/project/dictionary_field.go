package project

import "saturate/internal/pysrc"

// An object may hold a dictionary that its methods fill, and hand it to others: self.state = {}; self.state.update(loss=loss);
// callback.batch_done(self.state).

// fieldChange is the name under which a module keeps what changes a dictionary that a field holds.
func fieldChange(field string) string { return "." + field }

// fieldPut is what a method puts under a key of such a dictionary.
type fieldPut struct {
	value pysrc.Expr
	scope *Scope
}

// putInField are the values that methods of an object put under a key of a dictionary which is written out for a field of it.
func (e *Eval) putInField(v Value, key string) (list []fieldPut) {
	if v.Kind != Display || v.scope == nil {
		return nil
	}
	d, ok := v.Expr.(*pysrc.Dict)
	m := v.scope.Module
	if !ok || len(m.changes) == 0 {
		return nil
	}
	var target pysrc.Expr
	switch s := m.StatementAt(d.Start).(type) {
	case *pysrc.Assign:
		if len(s.Targets) == 1 && s.Value == pysrc.Expr(d) {
			target = s.Targets[0]
		}
	case *pysrc.AnnAssign:
		if s.Value == pysrc.Expr(d) {
			target = s.Target
		}
	}
	field, ok := target.(*pysrc.Attribute)
	if !ok || !IsSelf(field.Value) {
		return nil
	}
	class := m.FunctionAt(d.Start).Class
	for _, c := range m.changes[fieldChange(field.Attr)] {
		if m.blocks[c.block].Func.Class != class {
			continue
		}
		put := func(k, value pysrc.Expr) {
			if name, ok := pysrc.StringValue(k); ok && name == key && value != nil {
				list = append(list, fieldPut{value, m.blocks[c.block].Scope})
			}
		}
		if other, ok := c.other.(*pysrc.Dict); ok {
			for i, k := range other.Keys {
				if k != nil {
					put(k, other.Values[i])
				}
			}
		} else if c.key != nil {
			put(c.key, c.value)
		}
	}
	return list
}

// afterPuts is what a key of such a dictionary may hold, where now is what it holds at first.
func (e *Eval) afterPuts(v, key, now Value) Value {
	name, ok := key.Str()
	if !ok {
		return now
	}
	puts := e.putInField(v, name)
	if len(puts) == 0 || len(puts) > mostCallers {
		return now
	}
	values := make([]Value, 0, len(puts)+1)
	if now.Kind != Missing {
		values = append(values, now)
	}
	for _, put := range puts {
		values = append(values, e.expr(put.value, put.scope))
	}
	return merge(values)
}

// tensorInField is tensor for what such a dictionary holds under a key, where methods put it there.
func (e *Eval) tensorInField(of pysrc.Expr, key string, sc *Scope, depth int) (sure float64, known bool) {
	for _, put := range e.putInField(e.expr(of, sc), key) {
		sure, known = max(sure, e.tensor(put.value, put.scope, depth)), true
	}
	return sure, known
}
