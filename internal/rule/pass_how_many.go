package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// count tells how many there are of something, as far as the source shows it.
type count int

const (
	unknownCount count = iota
	few                // hundreds or thousands
	many               // as many as a data set has, or an image
)

// manyNumbers is from how many numbers on a random order of them takes a millisecond.
const manyNumbers = 20_000

// howMany tells how many there are in a list, or below a number: many where an object keeps them for all steps and samples, or
// where they are the pixels of an image.
func (p *SourcePass) howMany(e pysrc.Expr, way project.Path, depth int) count {
	if depth > 3 {
		return unknownCount
	}
	v := p.Eval(e)
	if n, ok := v.Int(); ok {
		if n >= manyNumbers {
			return many
		}
		return few
	}
	switch x := e.(type) {
	case *pysrc.Attribute:
		if p.heldByObject(x, way) {
			return p.countIn(v)
		}
	case *pysrc.Name:
		if p.heldByObject(x, way) {
			return p.countIn(v)
		}
		if fn := p.Function(x); fn.Def != nil {
			if values := p.assignments(x.ID, fn); len(values) == 1 {
				return p.howMany(values[0], way, depth+1)
			}
		}
	case *pysrc.Subscript:
		if of := shapeOf(x.Value); of != nil && isZero(x.Slice) {
			return p.rowsOf(of, way, depth)
		}
	case *pysrc.Call:
		switch name := lastName(x.Func); {
		case (name == "len" || name == "range" || name == "arange") && len(x.Args) == 1:
			if held := keptBy(x.Args[0]); name == "len" && !isName(held) && p.heldByObject(held, way) {
				return many
			}
			return p.howMany(x.Args[0], way, depth+1)
		case name == "size" && len(x.Args) == 1 && isZero(x.Args[0]):
			return p.rowsOf(x.Func.(*pysrc.Attribute).Value, way, depth)
		}
	}
	return unknownCount
}

// countIn tells how many there are in what an object keeps: many in an array, and in a list or dict that is filled.
func (p *SourcePass) countIn(v Value) count {
	switch v.Kind {
	case project.Instance:
		if !strings.HasPrefix(v.Name, "int") && !strings.HasPrefix(v.Name, "len") {
			return many
		}
	case project.Display:
		written := 0
		switch x := v.Expr.(type) {
		case *pysrc.List:
			written = len(x.Elts)
		case *pysrc.Tuple:
			written = len(x.Elts)
		case *pysrc.Dict:
			written = len(x.Keys)
		case *pysrc.Set:
			written = len(x.Elts)
		}
		if written > 0 {
			return few
		}
		return many
	}
	return unknownCount
}

// rowsOf tells how many rows an array has: many in one that an object keeps, and in an image whose pixels are put in a row.
func (p *SourcePass) rowsOf(e pysrc.Expr, way project.Path, depth int) count {
	if a, ok := e.(*pysrc.Attribute); ok && p.heldByObject(a, way) || p.rowOfPixels(e, depth) {
		return many
	}
	return unknownCount
}

// rowOfPixels reports an array of two axes that a reshape makes of more: coords.reshape((-1, 2)).
func (p *SourcePass) rowOfPixels(e pysrc.Expr, depth int) bool {
	switch x := e.(type) {
	case *pysrc.Name:
		if fn := p.Function(x); fn.Def != nil && depth < 3 {
			for _, v := range p.assignments(x.ID, fn) {
				if p.rowOfPixels(v, depth+1) {
					return true
				}
			}
		}
	case *pysrc.Call:
		name, args := lastName(x.Func), x.Args
		if len(args) > 0 && (name == "reshape" || name == "view") {
			switch shape := args[len(args)-1].(type) {
			case *pysrc.Tuple:
				args = shape.Elts
			case *pysrc.List:
				args = shape.Elts
			}
			n, ok := pysrc.IntValue(args[0])
			return len(args) == 2 && ok && n == -1
		}
	}
	return false
}
