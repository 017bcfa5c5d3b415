package offline

import (
	"maps"
	"slices"

	"saturate/internal/pysrc"
)

// holding is what a variable holds of the batch that a function is given.
type holding uint8

const (
	nothing holding = iota
	ofOne           // something of one sample
	ofEach          // a sequence whose elements belong to one sample each
	byName          // a dict of such sequences, which datasets gives to a transform
	ofAll           // anything else that is made of the batch
)

// holdings are what the variables of a function hold of its batch.
type holdings map[string]holding

// statements notes what the statements before an offset set. Under a condition, a name may hold what it held before.
func (h holdings) statements(list []pysrc.Stmt, before int32, conditional bool) {
	for _, s := range list {
		if s.Bounds().Start >= before {
			return
		}
		switch s := s.(type) {
		case *pysrc.Assign:
			for _, target := range s.Targets {
				h.assign(target, s.Value, conditional)
			}
		case *pysrc.AnnAssign:
			if s.Value != nil {
				h.assign(s.Target, s.Value, conditional)
			}
		case *pysrc.AugAssign:
			if x, ok := s.Target.(*pysrc.Name); ok && max(h[x.ID], h.of(s.Value)) > ofOne {
				h[x.ID] = ofAll
			}
		case *pysrc.ExprStmt:
			h.collects(s.Value)
		case *pysrc.For:
			h.each(s.Target, h.of(s.Iter))
			h.statements(s.Body, before, conditional)
		case *pysrc.While:
			h.statements(s.Body, before, true)
		case *pysrc.If:
			h.statements(s.Body, before, true)
			h.statements(s.Orelse, before, true)
		case *pysrc.With:
			for _, item := range s.Items {
				if item.Vars != nil {
					h.assign(item.Vars, item.Context, conditional)
				}
			}
			h.statements(s.Body, before, conditional)
		case *pysrc.Try:
			h.statements(s.Body, before, conditional)
		}
	}
}

// assign notes what a target holds then; x, y = zip(*samples) gives each name a sequence.
func (h holdings) assign(target, value pysrc.Expr, conditional bool) {
	is := h.of(value)
	switch t := target.(type) {
	case *pysrc.Name:
		if conditional && h[t.ID] != is && max(h[t.ID], is) > ofOne {
			is = ofAll
		}
		h[t.ID] = is
	case *pysrc.Tuple:
		if is == ofEach && !transposes(value) {
			is = ofOne // the samples of a batch of known size
		}
		for _, e := range t.Elts {
			if x, ok := e.(*pysrc.Name); ok {
				h[x.ID] = is
			}
		}
	}
}

// each notes what the target of a loop holds.
func (h holdings) each(target pysrc.Expr, iterated holding) {
	is := iterated
	switch iterated {
	case ofEach, ofAll:
		is = ofOne
	case byName:
		is = nothing // the names
	}
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok {
			h[x.ID] = is
		}
		return true
	})
}

// collects notes audio.append(read(path)), which makes a sequence of a list where it runs for each sample.
func (h holdings) collects(e pysrc.Expr) {
	call, ok := e.(*pysrc.Call)
	if !ok || len(call.Args) != 1 {
		return
	}
	method, ok := call.Func.(*pysrc.Attribute)
	if !ok || method.Attr != "append" {
		return
	}
	if x, ok := method.Value.(*pysrc.Name); ok {
		switch is := h.of(call.Args[0]); {
		case is == ofOne && (h[x.ID] == nothing || h[x.ID] == ofEach):
			h[x.ID] = ofEach
		case is != nothing:
			h[x.ID] = ofAll
		}
	}
}

// of is what an expression holds of the batch.
func (h holdings) of(e pysrc.Expr) holding {
	switch e := e.(type) {
	case nil:
		return nothing
	case *pysrc.Name:
		return h[e.ID]
	case *pysrc.Subscript:
		_, slice := e.Slice.(*pysrc.Slice)
		switch is := h.of(e.Value); {
		case is == byName && constant(e.Slice), is == ofEach && slice:
			return ofEach
		case is == ofEach || is == ofAll && constant(e.Slice) && !slice:
			return ofOne
		case is <= ofOne:
			return max(is, h.of(e.Slice))
		}
		return ofAll
	case *pysrc.Attribute:
		if is := h.of(e.Value); is <= ofOne {
			return is
		}
		return ofAll
	case *pysrc.ListComp:
		return h.comprehension(e.Generators, e.Elt)
	case *pysrc.GeneratorExp:
		return h.comprehension(e.Generators, e.Elt)
	case *pysrc.Dict:
		return h.dict(e.Values)
	case *pysrc.DictComp:
		inner, _ := h.within(e.Generators)
		return inner.dict([]pysrc.Expr{e.Value})
	case *pysrc.Call:
		return h.call(e)
	}
	most := nothing
	pysrc.Children(e, func(n pysrc.Node) {
		if x, ok := n.(pysrc.Expr); ok {
			most = max(most, h.of(x))
		}
	})
	if most > ofOne {
		return ofAll
	}
	return most
}

// dict is a batch by name where each of its values is a sequence.
func (h holdings) dict(values []pysrc.Expr) holding {
	least, most := ofAll, nothing
	for _, v := range values {
		is := h.of(v)
		least, most = min(least, is), max(most, is)
	}
	switch {
	case least == ofEach && most == ofEach:
		return byName
	case most > ofOne:
		return ofAll
	}
	return most
}

// comprehension is a sequence whose elements belong to one sample each where it goes along such a sequence.
func (h holdings) comprehension(generators []*pysrc.Comprehension, element pysrc.Expr) holding {
	inner, most := h.within(generators)
	is := inner.of(element)
	switch {
	case most >= ofEach && most != byName && len(generators) == 1 && is <= ofOne:
		return ofEach
	case max(most, is) > ofOne:
		return ofAll
	}
	return max(most, is)
}

// within is what variables hold inside a comprehension, and the most that it goes along.
func (h holdings) within(generators []*pysrc.Comprehension) (inner holdings, most holding) {
	inner = maps.Clone(h)
	for _, g := range generators {
		is := inner.of(g.Iter)
		inner.each(g.Target, is)
		most = max(most, is)
	}
	return inner, most
}

// call is what a call returns: a sequence stays one in another container and beside others; of one sample comes
// something of that sample; all else is made of the batch.
func (h holdings) call(call *pysrc.Call) holding {
	most := nothing
	for _, a := range call.Args {
		if star, ok := a.(*pysrc.Starred); ok {
			a = star.Value
		}
		most = max(most, h.of(a))
	}
	for _, k := range call.Keywords {
		most = max(most, h.of(k.Value))
	}
	name := ""
	switch f := call.Func.(type) {
	case *pysrc.Name:
		name = f.ID
	case *pysrc.Attribute:
		name = f.Attr
		if is := h.of(f.Value); is == byName && (name == "get" || name == "pop") && len(call.Args) > 0 && constant(call.Args[0]) {
			return ofEach
		} else if is > ofOne {
			return ofAll
		} else {
			most = max(most, is)
		}
	}
	switch {
	case most <= ofOne:
		return most
	case most == ofEach && slices.Contains(containers, name):
		return ofEach
	}
	return ofAll
}

// containers are the calls that put a sequence into another container or order, element by element.
var containers = []string{"list", "tuple", "array", "asarray", "stack", "tensor", "zip", "enumerate", "sorted", "reversed"}

// transposes reports zip(*samples).
func transposes(e pysrc.Expr) bool {
	call, ok := e.(*pysrc.Call)
	if !ok || len(call.Args) != 1 {
		return false
	}
	_, star := call.Args[0].(*pysrc.Starred)
	return star && isNamed(call.Func, "zip")
}
