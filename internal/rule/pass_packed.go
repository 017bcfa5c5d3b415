package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// countsPacked reports the sizes of the steps of a packed sequence, which torch keeps on the host: packed.batch_sizes, or
// the second of the four parts that one is taken apart into.
func (p *SourcePass) countsPacked(e pysrc.Expr) bool {
	for {
		switch x := e.(type) {
		case *pysrc.Subscript:
			e = x.Value
			continue
		case *pysrc.Attribute:
			return x.Attr == "batch_sizes" && p.isPacked(x.Value)
		case *pysrc.Name:
			fn, found := p.Function(x), false
			if fn.Def == nil {
				return false
			}
			for _, a := range p.assignsOf(fn) {
				parts, ok := a.Targets[0].(*pysrc.Tuple)
				if second, named := partOf(parts, ok); named && second.ID == x.ID {
					found = found || p.isPacked(a.Value)
				}
			}
			return found
		}
		return false
	}
}

// partOf is the second of four variables.
func partOf(parts *pysrc.Tuple, ok bool) (*pysrc.Name, bool) {
	if !ok || len(parts.Elts) != 4 {
		return nil, false
	}
	name, ok := parts.Elts[1].(*pysrc.Name)
	return name, ok
}

// isPacked reports a packed sequence: an instance, or what its function asks to be one.
func (p *SourcePass) isPacked(e pysrc.Expr) bool {
	const packed = "torch.nn.utils.rnn.PackedSequence"
	if v := p.Eval(e); v.IsInstance(packed) || v.Name == "torch.nn.utils.rnn.pack_padded_sequence()" {
		return true
	}
	fn := p.Function(e)
	for _, s := range fn.Sites {
		if pysrc.DottedName(s.Node.Func) == "isinstance" && len(s.Node.Args) == 2 &&
			p.Text(s.Node.Args[0]) == p.Text(e) && p.NameOf(s.Node.Args[1]) == packed {
			return true
		}
	}
	return false
}

// forPacking reports a copy of lengths for pack_padded_sequence: in its arguments, or in the variable that it is given.
func (p *SourcePass) forPacking(c Call) bool {
	name := ""
	if assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && len(assign.Targets) == 1 {
		name = pysrc.DottedName(assign.Targets[0])
	}
	return slices.ContainsFunc(c.Func.Sites, func(s *project.Site) bool {
		if s.Calls.Name != "torch.nn.utils.rnn.pack_padded_sequence" {
			return false
		}
		given := s.ArgumentNode("lengths", 1)
		return given != nil && (given.Bounds().Contains(int(c.Node.Start)) || name != "" && pysrc.DottedName(given) == name)
	})
}
