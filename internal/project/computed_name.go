package project

import (
	"strings"

	"saturate/internal/pysrc"
)

// computedName is a name that a program computes, as far as the source shows it: "models." + args.model + ".build" is the
// texts models. and .build around a hole.
type computedName struct {
	texts []string // one more than there are holes
}

// whole is the name where all of it is known.
func (n computedName) whole() (string, bool) { return n.texts[0], len(n.texts) == 1 }

// unknown reports a name of which nothing is known.
func (n computedName) unknown() bool { return strings.Join(n.texts, "") == "" }

// fits reports a name that may be the computed one.
func (n computedName) fits(name string) bool {
	if len(n.texts) == 1 {
		return name == n.texts[0]
	}
	last := len(n.texts) - 1
	if !strings.HasPrefix(name, n.texts[0]) {
		return false
	}
	name = name[len(n.texts[0]):]
	for _, between := range n.texts[1:last] {
		_, after, found := strings.Cut(name, between)
		if !found {
			return false
		}
		name = after
	}
	return strings.HasSuffix(name, n.texts[last])
}

// parts are the names between the dots.
func (n computedName) parts() []computedName {
	list := []computedName{{texts: []string{""}}}
	for i, text := range n.texts {
		last := &list[len(list)-1]
		if i > 0 {
			last.texts = append(last.texts, "")
		}
		for k, piece := range strings.Split(text, ".") {
			if k > 0 {
				list = append(list, computedName{texts: []string{""}})
				last = &list[len(list)-1]
			}
			last.texts[len(last.texts)-1] += piece
		}
	}
	return list
}

// cutLast takes off what stands behind the last dot, where all before it is known.
func (n computedName) cutLast() (before string, last computedName, ok bool) {
	at := strings.LastIndexByte(n.texts[0], '.')
	if at < 0 {
		return "", n, false
	}
	last = computedName{append([]string{n.texts[0][at+1:]}, n.texts[1:]...)}
	return n.texts[0][:at], last, len(last.parts()) == 1
}

// then is the name with another behind it.
func (n computedName) then(other computedName) computedName {
	last := len(n.texts) - 1
	texts := append([]string{}, n.texts[:last]...)
	texts = append(texts, n.texts[last]+other.texts[0])
	return computedName{append(texts, other.texts[1:]...)}
}

// hole is a name of which nothing is known.
var hole = computedName{texts: []string{"", ""}}

// nameIn reads an expression as a name: a text, a sum of texts, an f-string, a text with %s or {} in it.
func (e *Eval) nameIn(x pysrc.Expr, sc *Scope) computedName {
	switch x := x.(type) {
	case *pysrc.BinOp:
		switch format, ok := pysrc.StringValue(x.Left); {
		case x.Op == pysrc.Add:
			return e.nameIn(x.Left, sc).then(e.nameIn(x.Right, sc))
		case x.Op == pysrc.Mod && ok:
			filled := elements(x.Right)
			if filled == nil {
				filled = []pysrc.Expr{x.Right}
			}
			return e.filledIn(format, "%s", filled, sc)
		}
	case *pysrc.JoinedStr:
		name := computedName{texts: []string{""}}
		for _, part := range x.Values {
			if shown, ok := part.(*pysrc.FormattedValue); ok {
				part = shown.Value
			}
			name = name.then(e.nameIn(part, sc))
		}
		return name
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && a.Attr == "format" && len(x.Keywords) == 0 {
			if format, ok := pysrc.StringValue(a.Value); ok {
				return e.filledIn(format, "{}", x.Args, sc)
			}
		}
	}
	v := e.expr(x, sc)
	if text, ok := v.Str(); ok {
		return computedName{texts: []string{text}}
	}
	if name, ok := x.(*pysrc.Name); ok {
		if _, b := sc.find(name.ID); b != nil && b.Kind == Assigned && b.prior == nil && b.path == 0 && b.Value != nil && e.begin(b.Value) {
			defer e.end(b.Value)
			return e.nameIn(b.Value, b.Scope)
		}
	}
	return hole
}

// filledIn is a text with values in the place of each mark.
func (e *Eval) filledIn(format, mark string, values []pysrc.Expr, sc *Scope) computedName {
	pieces := strings.Split(format, mark)
	if len(pieces) != len(values)+1 {
		return hole
	}
	name := computedName{texts: pieces[:1]}
	for i, v := range values {
		name = name.then(e.nameIn(v, sc)).then(computedName{texts: pieces[i+1 : i+2]})
	}
	return name
}
