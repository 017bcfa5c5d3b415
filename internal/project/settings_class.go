package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Many programs read their settings into a dictionary of a class of their own, so that keys can be read as attributes:
// class AttrDict(dict); h = AttrDict(json.loads(text)).

// holdsSettings reports such a class: a dictionary that does nothing else.
func (c *Class) holdsSettings() bool {
	if base := c.LibraryBase(); base != "dict" && base != "easydict.EasyDict" {
		return false
	}
	plain := true
	c.each(func(c *Class) bool {
		for name := range c.Methods {
			plain = plain && (dictMethods[name] || strings.HasPrefix(name, "__"))
		}
		return plain
	})
	return plain
}

// settingsObject is what an object of such a class holds, or nothing where that is not seen.
func (e *Eval) settingsObject(c *Class, x *pysrc.Call, sc *Scope) (Value, bool) {
	if !c.holdsSettings() {
		return Value{}, false
	}
	v := e.dictionary(x, sc)
	return v, v.isMapping()
}

// isMapping reports a dictionary that is written out, a part of a settings file, or one of several.
func (v Value) isMapping() bool {
	if len(v.Either) > 0 {
		return slices.ContainsFunc(v.Either, Value.isMapping)
	}
	_, dict := v.Expr.(*pysrc.Dict)
	return v.Kind == Display && dict || v.Kind == Key || v.Kind == Instance && (isLoaded(v.Name) || isNamespace(v.Name))
}

// mostTexts is how many variables are followed from the text of a settings file back to its path.
const mostTexts = 8

// openedFor are the paths of the files that the text is read from which a call such as json.loads is given, as far as variables of its
// function hold it: data = f.read(), with open(path) as f, for line in f.
func openedFor(x pysrc.Expr, sc *Scope) (paths []pysrc.Expr) {
	seen := map[string]bool{}
	var follow func(pysrc.Expr)
	follow = func(x pysrc.Expr) {
		pysrc.Inspect(x, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Call:
				if method, ok := n.Func.(*pysrc.Attribute); ok && (method.Attr == "open" || method.Attr == "read_text") {
					paths = append(paths, method.Value) // of a pathlib.Path
				} else if lastName(n.Func) == "open" && len(n.Args) > 0 {
					paths = append(paths, n.Args[0])
				}
			case *pysrc.Name:
				holder, b := sc.find(n.ID)
				if seen[n.ID] || len(seen) > mostTexts || holder != sc {
					return true
				}
				seen[n.ID] = true
				for ; b != nil; b = b.prior {
					from := b.Value
					if more, ok := b.Node.(*pysrc.AugAssign); ok {
						from = more.Value
					}
					if from != nil && b.Kind != Parameter && b.At <= n.Start {
						follow(from)
					}
				}
			}
			return true
		})
	}
	follow(x)
	return paths
}
