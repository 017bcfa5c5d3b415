package project

// knownLists are lists of alternatives that an Eval made. Questions that lead back to each other come to the same few lists
// again and again.
type knownLists map[uint64][]Value

// hashOfList is where a list of these alternatives is kept.
func hashOfList(found []*Value) uint64 {
	h := uint64(len(found))
	for _, v := range found {
		h = h*1099511628211 + uint64(v.Kind) + uint64(v.Origin.Span.Start)<<4 + uint64(len(v.Name))<<32
		if v.Made != nil {
			h = h*31 + uint64(v.Made.Node.Start)
		}
		if v.Class != nil {
			h = h*31 + uint64(v.Class.Def.Start)
		}
		if v.Func != nil {
			h = h*31 + uint64(v.Func.body)
		}
	}
	return h
}

// holdsAll reports whether a list consists of those values.
func holdsAll(list []Value, found []*Value) bool {
	if len(list) != len(found) {
		return false
	}
	for i, v := range found {
		if !list[i].is(v) {
			return false
		}
	}
	return true
}

// is reports whether two values are the same in everything. Neither has alternatives.
func (v *Value) is(w *Value) bool {
	return v.Kind == w.Kind && v.Module == w.Module && v.Class == w.Class && v.Func == w.Func && v.Made == w.Made && v.Expr == w.Expr &&
		v.Setting == w.Setting && v.Self == w.Self && v.scope == w.scope && v.more == w.more && v.Origin == w.Origin && v.Sure == w.Sure &&
		v.member == w.member && v.attributes == w.attributes && v.partial == w.partial && v.parallel == w.parallel &&
		v.prepared == w.prepared && v.parsed == w.parsed && v.Scalar == w.Scalar && v.Name == w.Name && len(v.Either)+len(w.Either) == 0
}
