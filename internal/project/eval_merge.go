package project

import "slices"

// mostAlternatives is how many values a Value may be.
const mostAlternatives = 12

// merge combines several possible values into one: their common value, an instance of their common class, or an unknown
// value with the alternatives.
func merge(values []Value) Value { return mergeInto(nil, values) }

// mergeInto is merge with the lists that it may give again.
func mergeInto(known knownLists, values []Value) Value {
	switch len(values) {
	case 0:
		return Value{}
	case 1:
		return values[0]
	}
	var found [mostAlternatives]*Value
	n, unknown, none := 0, false, false
	var shared []Value // the alternatives of one value that has them all
	var last []Value   // those of the value before: most share one list
	keep := func(v *Value) {
		switch {
		case v.Kind == Unknown:
			unknown = true
		case v.Kind == Literal && v.Scalar.Type == Null:
			none = true
		case n < len(found) && !holdsLike(found[:n], v):
			found[n] = v
			n++
		}
	}
	for i := range values {
		v := &values[i]
		if len(v.Either) == 0 {
			keep(v)
		}
		if len(v.Either) > 0 && len(v.Either) == len(last) && &v.Either[0] == &last[0] {
			continue
		}
		before := n
		for k := range v.Either {
			keep(&v.Either[k])
		}
		last = v.Either
		if before == 0 && n > 1 && n == len(v.Either) {
			shared = v.Either
		}
	}
	switch {
	case n == 0 && none && !unknown:
		return firstNone(values)
	case n == 1 && found[0].Kind == Literal && (none || unknown):
		// A literal that may be something else is not a value to build on.
		return alternatives(known, found[:n])
	case n == 1:
		v := *found[0]
		v.parallel = slices.ContainsFunc(values, func(v Value) bool { return v.parallel })
		if unknown {
			v.Sure *= Likely
		}
		return v
	case n > 1 && n == len(shared):
		return Value{Either: shared}
	case n > 1:
		return alternatives(known, found[:n])
	}
	return Value{}
}

// mayBe notes a value that an expression may have. Who asks calls it for each of them, and then merged with the number of
// those that were noted before: questions within the question note and merge their own in between.
func (e *Eval) mayBe(v Value) { e.possible = append(e.possible, v) }

// merged combines the values that were noted since, and forgets them.
func (e *Eval) merged(from int) Value {
	v := mergeInto(e.lists, e.possible[from:])
	clear(e.possible[from:])
	e.possible = e.possible[:from]
	return v
}

func alternatives(known knownLists, found []*Value) Value {
	var hash uint64
	if known != nil {
		hash = hashOfList(found)
		if same := known[hash]; holdsAll(same, found) {
			return Value{Either: same}
		}
	}
	list := make([]Value, len(found))
	for i, v := range found {
		list[i] = *v
	}
	if known != nil {
		known[hash] = list
	}
	return Value{Either: list}
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
func holdsLike(list []*Value, v *Value) bool {
	for _, w := range list {
		if w.Kind != v.Kind || w.Class != v.Class || w.Func != v.Func || w.Module != v.Module {
			continue
		}
		switch v.Kind {
		case Literal:
			if w.Scalar == v.Scalar {
				return true
			}
		case Display:
			if w.Expr == v.Expr && slices.Equal(w.changed(), v.changed()) {
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

// EachAncestor visits the names of the value's class and of all its base classes.
func (v *Value) EachAncestor(visit func(name string)) {
	if v.Class == nil {
		eachLibraryAncestor(v.Name, visit)
		return
	}
	v.Class.each(func(c *Class) bool {
		visit(c.FullName())
		for i := range c.bases {
			if c.bases[i].Class == nil {
				eachLibraryAncestor(c.bases[i].Name, visit)
			}
		}
		return true
	})
}

// derives reports whether the value's class is or derives from one of the names.
func (v *Value) derives(names []string) bool {
	if v.Class != nil {
		return v.Class.Derives(names...)
	}
	return libraryDerives(v.Name, names)
}
