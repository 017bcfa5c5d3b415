package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// emptiedField is a field of a class whose emptying is being looked for.
type emptiedField struct {
	class *Class
	name  string
}

// emptiedAgain reports if self.mask is None: …, of a field that training steps set to None again, so that each of them fills it.
func (e *Eval) emptiedAgain(m *Module, b *Block) bool {
	test, ok := b.Owner.(*pysrc.If)
	if !ok || b.Arm != Body {
		return false
	}
	c, ok := test.Test.(*pysrc.Compare)
	if !ok || len(c.Ops) != 1 || !pysrc.IsConst(c.Comparators[0], pysrc.None) {
		return false
	}
	name, class := FieldOfSelf(c.Left), m.ClassAt(test.Start)
	asked := emptiedField{class, name}
	if name == "" || class == nil || !e.begin(asked) {
		return false
	}
	defer e.end(asked)
	return slices.ContainsFunc(m.Assignments, func(a *Assignment) bool {
		if a.Func == nil || a.Func.Class != class || a.Func.BaseName() == "__init__" || e.p.hot[a.Func] == nil || !pysrc.IsConst(a.Value, pysrc.None) {
			return false
		}
		set, ok := a.Target.(*pysrc.Attribute)
		return ok && IsSelf(set.Value) && set.Attr == name && e.Rare(m, a.Target) == nil
	})
}
