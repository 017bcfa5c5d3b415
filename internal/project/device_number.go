package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// returnsNumber reports whether a function returns a host number at that place of a tuple in some return, and a tensor
// in none: return x, 0 and return pad(x, rest), rest.
func (e *Eval) returnsNumber(f *Function, place, depth int) bool {
	key := tensorKey{f}
	if !e.begin(key) {
		return false
	}
	defer e.end(key)
	found := false
	for _, r := range f.returns {
		elts := elements(r)
		if place >= len(elts) {
			continue
		}
		sc := f.Module.blocks[f.Module.BlockAt(r.Bounds().Start)].Scope
		switch {
		case pysrc.IsConst(elts[place], pysrc.None):
		case isNumber(elts[place], sc, 0):
			found = true
		case e.tensor(elts[place], sc, depth+2) > 0:
			return false
		}
	}
	return found
}

// isNumber reports a number that the host computes itself: a constant, a length, a size, and what is made of them.
func isNumber(x pysrc.Expr, sc *Scope, depth int) bool {
	if depth > deepestTensor {
		return false
	}
	switch x := x.(type) {
	case *pysrc.Constant:
		return true
	case *pysrc.BinOp:
		return isNumber(x.Left, sc, depth+1) && isNumber(x.Right, sc, depth+1)
	case *pysrc.UnaryOp:
		return isNumber(x.Operand, sc, depth+1)
	case *pysrc.Subscript:
		return lastName(x.Value) == "shape"
	case *pysrc.Call:
		switch name := pysrc.DottedName(x.Func); {
		case name == "len" || name == "int" || name == "float" || strings.HasPrefix(name, "math."):
			return true
		case lastName(x.Func) == "size" || lastName(x.Func) == "item" || lastName(x.Func) == "numel":
			return true
		}
	case *pysrc.Name:
		return namesNumber(x, sc, depth)
	}
	return false
}

// namesNumber is isNumber for a variable: every value that it may have is one.
func namesNumber(x *pysrc.Name, sc *Scope, depth int) bool {
	holder, _ := sc.find(x.ID)
	if holder == nil {
		return false
	}
	var room [8]*Binding
	list := holder.reaching(room[:0], x.ID, sc, x.Start)
	for _, b := range list {
		switch {
		case b.Kind == Parameter && HasWord(lastName(b.annotation()), "int", "float"):
		case b.Kind != Assigned && b.Kind != Augmented, b.Value == nil:
			return false
		case b.path != 0 && lastName(b.Value) == "shape": // batch, length = x.shape
		case b.path != 0 || !isNumber(b.Value, b.Scope, depth+1):
			return false
		}
	}
	return len(list) > 0
}
