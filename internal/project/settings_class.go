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

// textPaths visits what the text is made of that a call such as json.loads is given, as far as variables of its function hold it:
// data = f.read(), with open(path) as f, for line in f.
func textPaths(x pysrc.Expr, sc *Scope, visit func(pysrc.Expr)) {
	seen := map[string]bool{}
	var follow func(pysrc.Expr)
	follow = func(x pysrc.Expr) {
		pysrc.Inspect(x, func(n pysrc.Node) bool {
			name, ok := n.(*pysrc.Name)
			if !ok || seen[name.ID] || len(seen) > mostTexts {
				return true
			}
			seen[name.ID] = true
			holder, b := sc.find(name.ID)
			if holder != sc {
				return true
			}
			for ; b != nil; b = b.prior {
				if b.At > name.Start {
					continue
				}
				from := b.Value
				if more, ok := b.Node.(*pysrc.AugAssign); ok {
					from = more.Value
				}
				if from != nil && b.Kind != Parameter {
					visit(from)
					follow(from)
				}
			}
			return true
		})
	}
	follow(x)
}
