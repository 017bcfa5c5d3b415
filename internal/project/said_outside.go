package project

import "saturate/internal/pysrc"

// SaidOutside is the value of the only assignment to a variable that a function reads but does not set: one of its module,
// or of a function around it. It is nil for anything else.
func (m *Module) SaidOutside(name *pysrc.Name) pysrc.Expr {
	use := m.blocks[m.BlockAt(name.Start)].Scope
	holder, b := use.find(name.ID)
	if b == nil || holder == use || holder.Module != m || b.Kind != Assigned || b.prior != nil || b.path != 0 {
		return nil
	}
	return b.Value
}
