package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pairedElement is x[i] that two nested loops compare with x[j], each pair in Python: the distances of all points. It is nil
// where there is none.
func (p *SourcePass) pairedElement(path project.Path, loop *pysrc.For) (found *pysrc.Subscript) {
	outer := rangeVariable(loop)
	if outer == "" {
		return nil
	}
	for _, s := range loop.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			inner, ok := n.(*pysrc.For)
			if !ok || found != nil {
				return found == nil
			}
			if second := rangeVariable(inner); second != "" && !overConstant(inner.Iter) {
				found = p.pairIn(path, inner.Body, outer, second)
			}
			return false
		})
	}
	return found
}

// rangeVariable is the variable of a loop over a range, or nothing.
func rangeVariable(loop *pysrc.For) string {
	name, ok := loop.Target.(*pysrc.Name)
	c, counts := loop.Iter.(*pysrc.Call)
	if !ok || !counts || lastName(c.Func) != "range" {
		return ""
	}
	return name.ID
}

// pairIn is x[i] of x[i] - x[j], where x is an array.
func (p *SourcePass) pairIn(path project.Path, body []pysrc.Stmt, i, j string) (found *pysrc.Subscript) {
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			b, ok := n.(*pysrc.BinOp)
			if !ok || found != nil {
				return found == nil
			}
			left, right := elementOf(b.Left, i, j), elementOf(b.Right, i, j)
			if left != nil && right != nil && p.Text(left.Value) == p.Text(right.Value) && p.Text(left.Slice) != p.Text(right.Slice) &&
				p.arrayOnPath(path, len(path.Calls), left.Value, 0) {
				found = left
			}
			return found == nil
		})
	}
	return found
}

// elementOf is x[i] or x[i, …] by one of two variables; nil for anything else.
func elementOf(e pysrc.Expr, names ...string) *pysrc.Subscript {
	part, ok := e.(*pysrc.Subscript)
	if !ok {
		return nil
	}
	index := part.Slice
	if several, ok := index.(*pysrc.Tuple); ok && len(several.Elts) > 0 {
		index = several.Elts[0]
	}
	for _, name := range names {
		if isNamed(index, name) {
			return part
		}
	}
	return nil
}

// writtenElement is out[i] that a loop over the length of something computes, where out is an array of numbers that the
// function made that long; nil where there is none.
func (p *SourcePass) writtenElement(loop *pysrc.For) *pysrc.Subscript {
	index := rangeVariable(loop)
	if index == "" || len(loop.Body) != 1 || p.callsProject(loop.Body) || p.Rare(header(loop)) != nil {
		return nil
	}
	a, ok := loop.Body[0].(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return nil
	}
	part, ok := a.Targets[0].(*pysrc.Subscript)
	_, computes := a.Value.(*pysrc.BinOp)
	if !ok || !computes || !isNamed(part.Slice, index) || mentions(a.Value, rootName(part.Value)) {
		return nil // each element may need the one before
	}
	if made, ok := p.onceSaid(part.Value).(*pysrc.Call); ok && p.isRowOfNumbers(made) {
		return part
	}
	return nil
}

// isRowOfNumbers reports np.zeros(len(x)) and torch.empty(len(x)): an array with one axis.
func (p *SourcePass) isRowOfNumbers(made *pysrc.Call) bool {
	library, last, _ := cutLast(p.NameOf(made.Func))
	if (library != "numpy" && library != "torch") || len(made.Args) != 1 || !strings.HasPrefix(last, "zeros") && last != "empty" && last != "ones" ||
		strings.HasSuffix(last, "_like") {
		return false
	}
	return p.lengthWithin(made.Args[0]) != nil
}

// writtenCell is x[i, j] that two nested loops over ranges write, with what each element gets computed in Python; nil when there is none, or
// when an element may need another one.
func (p *SourcePass) writtenCell(loop *pysrc.For) (found *pysrc.Subscript) {
	outer := rangeVariable(loop)
	if outer == "" || p.knownFew(loop.Iter) || p.Rare(header(loop)) != nil || p.callsProject(loop.Body) {
		return nil
	}
	for _, s := range loop.Body {
		inner, ok := s.(*pysrc.For)
		if !ok || p.knownFew(inner.Iter) {
			continue
		}
		index := rangeVariable(inner)
		if index == "" {
			continue
		}
		levels := map[string]int{outer: 1, index: 2}
		neighbours := false
		pysrc.Inspect(inner, func(n pysrc.Node) bool {
			if part, ok := n.(*pysrc.Subscript); ok {
				if part.Ctx == pysrc.Store && found == nil && len(indexLevels(part, levels)) == 2 {
					found = part
				}
				axes := elementsOf(part.Slice)
				if axes == nil {
					axes = []pysrc.Expr{part.Slice}
				}
				for _, axis := range axes {
					sum, ok := axis.(*pysrc.BinOp)
					neighbours = neighbours || ok && (mentionsName(sum, outer) || mentionsName(sum, index))
				}
			}
			return true
		})
		if found != nil && !neighbours {
			return found
		}
		found = nil
	}
	return nil
}
