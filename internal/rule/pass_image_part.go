package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// resizesPart reports a resize of a part that was cut out of an image, such as the box around a person: how large the part is differs,
// and a smaller copy of the image may not serve it.
func resizesPart(s *project.Site) bool {
	image := firstArg(s.Node)
	if method, ok := s.Node.Func.(*pysrc.Attribute); ok && s.Calls.Func == nil && !shrinkFunctions[s.Calls.Name] {
		image = method.Value
	}
	name, ok := image.(*pysrc.Name)
	if !ok {
		return cutsOut(image)
	}
	said, _ := s.Module().SaidOrGiven(name)
	if slices.ContainsFunc(said, func(v project.Said) bool { return v.Value != nil && cutsOut(v.Value) }) {
		return true
	}
	found := false
	if s.Func.Def == nil {
		return false
	}
	pysrc.Inspect(s.Func.Def, func(n pysrc.Node) bool { // window[a:b, c:d] = image[e:f, g:h]
		if fill, ok := n.(*pysrc.Assign); ok && len(fill.Targets) == 1 {
			part, filled := fill.Targets[0].(*pysrc.Subscript)
			found = found || filled && isNamed(part.Value, name.ID) && cutsOut(fill.Value)
		}
		return !found
	})
	return found
}

// cutsOut reports x[a:b, c:d] with bounds that are worked out, and x.crop(box).
func cutsOut(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Call:
		method, ok := x.Func.(*pysrc.Attribute)
		return ok && method.Attr == "crop" && len(x.Args) == 1
	case *pysrc.Subscript:
		axes, ok := x.Slice.(*pysrc.Tuple)
		if !ok {
			return false
		}
		bounded := 0
		for _, axis := range axes.Elts {
			if part, ok := axis.(*pysrc.Slice); ok && part.Upper != nil && !isNumber(part.Upper) {
				bounded++
			}
		}
		return bounded > 1
	}
	return false
}
