package project

// merge gives the one value that several possible values leave: their common
// one, or the instances' common class, or nothing known and the alternatives.
func merge(values []Value) Value {
	switch len(values) {
	case 0:
		return Value{}
	case 1:
		return values[0]
	}
	var kept []Value
	unknown, none := false, false
	keep := func(v *Value) {
		switch {
		case v.Kind == Unknown:
			unknown = true
		case v.Kind == Literal && v.Scalar.Type == Null:
			none = true
		case !holdsLike(kept, v):
			kept = append(kept, *v)
		}
	}
	for i := range values {
		v := &values[i]
		if len(v.Either) == 0 {
			keep(v)
		}
		for k := range v.Either {
			keep(&v.Either[k])
		}
	}
	switch {
	case len(kept) == 0 && none && !unknown:
		return firstNone(values)
	case len(kept) == 1 && kept[0].Kind == Literal && (none || unknown):
		// A literal that may be something else is not a value to build on.
		return Value{Either: kept}
	case len(kept) == 1:
		v := kept[0]
		if unknown {
			v.Sure *= Likely
		}
		return v
	case len(kept) > 1:
		if len(kept) > 6 {
			kept = kept[:6]
		}
		return Value{Either: kept}
	}
	return Value{}
}

func firstNone(values []Value) Value {
	for _, v := range values {
		if v.IsNone() {
			return v
		}
	}
	return Value{}
}

// holdsLike reports a value of the same meaning; where it is set may differ.
func holdsLike(list []Value, v *Value) bool {
	for i := range list {
		w := &list[i]
		if w.Kind != v.Kind || w.Class != v.Class || w.Func != v.Func || w.Module != v.Module {
			continue
		}
		switch v.Kind {
		case Literal:
			if w.Scalar == v.Scalar {
				return true
			}
		case Display:
			if w.Expr == v.Expr {
				return true
			}
		case Key:
			if w.Setting == v.Setting {
				return true
			}
		default:
			if w.Name == v.Name {
				return true
			}
		}
	}
	return false
}

// via says how a literal that was written in place came here.
func (v Value) via(how How) Value {
	if v.Origin.How == InPlace && v.Kind == Literal {
		v.Origin.How = how
	}
	return v
}

// lessSure lowers the confidence.
func (v Value) lessSure(factor float64) Value {
	v.Sure *= factor
	for i := range v.Either {
		if i == 0 {
			v.Either = append([]Value(nil), v.Either...)
		}
		v.Either[i].Sure *= factor
	}
	return v
}

// Line returns the names of the value's class and of all that it derives from.
func (v *Value) Line() []string {
	if v.Class == nil {
		return libraryLine(v.Name)
	}
	var names []string
	v.Class.each(func(c *Class) bool {
		names = append(names, c.FullName())
		for i := range c.bases {
			if c.bases[i].Class == nil {
				names = append(names, libraryLine(c.bases[i].Name)...)
			}
		}
		return true
	})
	return names
}

// derives reports whether the value's class is or derives from one of the names.
func (v *Value) derives(names []string) bool {
	if v.Class != nil {
		return v.Class.Derives(names...)
	}
	return libraryDerives(v.Name, names)
}
