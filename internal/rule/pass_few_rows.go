package rule

import "saturate/internal/pysrc"

// fewRows is up to how many rows a map over a dataset takes no time worth saving.
const fewRows = 1000

// ofFewRows reports an expression that holds a small number of rows that the source says: rows[:5], rows[i : i + 5],
// data.select(range(100)), load_dataset(…, split="train[:100]").
func (p *SourcePass) ofFewRows(e pysrc.Expr, depth int) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Slice:
			count, known := p.length(n)
			found = found || known && count <= fewRows
		case *pysrc.Call:
			if lastName(n.Func) == "select" && len(n.Args) == 1 {
				rows, ok := n.Args[0].(*pysrc.Call)
				count, known := p.countOf(rows, ok)
				found = found || known && count <= fewRows
			}
		}
		return !found
	})
	if name, ok := e.(*pysrc.Name); ok && !found && depth < 3 {
		if said := p.Module.SaidOnce(name); said != nil {
			return p.ofFewRows(said, depth+1)
		}
	}
	return found
}

// countOf is the number of range(n), where it is known.
func (p *SourcePass) countOf(rows *pysrc.Call, ok bool) (int64, bool) {
	if !ok || lastName(rows.Func) != "range" || len(rows.Args) != 1 {
		return 0, false
	}
	return p.Eval(rows.Args[0]).Int()
}

// length is how many elements a slice takes, where the source says it: [:5], [i : i + 5].
func (p *SourcePass) length(s *pysrc.Slice) (int64, bool) {
	if s.Upper == nil {
		return 0, false
	}
	if s.Lower == nil {
		return p.Eval(s.Upper).Int()
	}
	if sum, ok := s.Upper.(*pysrc.BinOp); ok && sum.Op == pysrc.Add && p.Text(sum.Left) == p.Text(s.Lower) {
		return p.Eval(sum.Right).Int()
	}
	return 0, false
}
