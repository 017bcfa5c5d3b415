package project

import "saturate/internal/pysrc"

// Before visits, from the inside out, what runs before an offset in its function: for each block around it, the statements
// that precede the one which holds it. It stops where visit returns false.
func (m *Module) Before(at int32, visit func(before []pysrc.Stmt, in *Block) bool) {
	m.around(at, func(b *Block) bool {
		list := m.statementsOf(b)
		for i, s := range list {
			if s.Bounds().End > at {
				list = list[:i]
				break
			}
		}
		return visit(list, b)
	})
}

// statementsOf are the statements of a block: also those of a module, and what a try runs first.
func (m *Module) statementsOf(b *Block) []pysrc.Stmt {
	if b.Parent < 0 {
		return m.File.Module.Body
	}
	if try, ok := b.Owner.(*pysrc.Try); ok && b.Arm == Body {
		return try.Body
	}
	return bodyOf(b)
}
