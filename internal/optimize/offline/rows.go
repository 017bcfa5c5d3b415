package offline

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// byRows looks at all cuts, and refuses those that only a whole batch decides.
func (w *work) byRows(cuts []*cut) (list []*cut, refusals []Refusal) {
	for _, c := range cuts {
		reason := w.byRow(c)
		if reason == "" {
			list = append(list, c)
			continue
		}
		for _, f := range c.findings {
			refusals = append(refusals, w.refuse(f, c.way, reason))
		}
	}
	return list, refusals
}

// byRow finds out which inputs of a cut hold a whole batch. A batch has other samples in each epoch, so a value that
// is found by a whole batch is never found again: each row is kept on its own. The reason says why that is impossible.
func (w *work) byRow(c *cut) (reason string) {
	root := c.way.levels[0].fn
	given := nothing
	switch {
	case c.way.root == project.Collate, c.way.root == project.DataSet && root.BaseName() == "__getitems__":
		given = ofEach
	case c.way.root == project.Transform && w.takesBatches(root):
		given = byName
	default:
		return ""
	}
	parameter := firstParameter(root)
	if parameter == "" {
		return ""
	}
	held := w.follow(c, holdings{parameter: given})
	if held == nil {
		return ""
	}
	c.rows = nil
	for _, e := range c.locals {
		base, _ := baseOf(e)
		switch is := held.of(e); {
		case is == ofAll:
			return fmt.Sprintf("%s depends on a whole batch (%s), and in each epoch a batch has other samples", c.title(), text(c.module(), e))
		case is > ofOne && !slices.Contains(c.rows, base.ID):
			c.rows = append(c.rows, base.ID)
		}
	}
	if len(c.rows) == 0 {
		return ""
	}
	if len(c.draws) > 0 || c.applies != nil {
		return fmt.Sprintf("%s makes a whole batch, with random choices between", c.title())
	}
	c.inputs = slices.DeleteFunc(c.inputs, func(input string) bool {
		return slices.ContainsFunc(c.rows, func(name string) bool {
			rest, found := strings.CutPrefix(input, name)
			return found && (rest == "" || rest[0] == '[' || rest[0] == '.')
		})
	})
	return ""
}

// takesBatches reports whether a function is given to datasets as a transform, which is called with batches, or to a
// map that says so.
func (w *work) takesBatches(fn *project.Function) bool {
	for _, m := range w.project.Modules {
		for _, s := range m.Sites {
			switch s.Method() {
			case "set_transform", "with_transform":
			case "map":
				if !w.eval.Argument(s, "batched").IsTrue() {
					continue
				}
			default:
				continue
			}
			v := w.eval.Handed(s)
			for _, v := range append([]project.Value{v}, v.Either...) {
				if v.Func == fn || v.Class != nil && v.Class.Method("__call__") == fn {
					return true
				}
			}
		}
	}
	return false
}

func firstParameter(fn *project.Function) string {
	if fn.Params() == nil {
		return ""
	}
	for _, p := range fn.Params().All() {
		if p.Name != selfOf(fn) {
			return p.Name
		}
	}
	return ""
}

// follow goes from the function that is given the batch to the one with the cut, over the calls between.
func (w *work) follow(c *cut, held holdings) holdings {
	for i, l := range c.way.levels {
		at := c.nodes()[0]
		if l.fn != c.fn {
			at = l.site.Node
		}
		if l.fn.Def != nil {
			held.statements(l.fn.Def.Body, at.Bounds().Start, false)
		}
		for _, n := range parentsOf(l.fn, at) {
			for _, g := range generatorsOf(n) {
				held.each(g.Target, held.of(g.Iter))
			}
		}
		if l.fn == c.fn {
			return held
		}
		if i+1 == len(c.way.levels) || c.way.levels[i+1].fn.Params() == nil {
			return nil
		}
		held = held.passed(l.site.Node, c.way.levels[i+1].fn)
	}
	return nil
}

// passed are what the parameters of a function hold when it is called so.
func (h holdings) passed(call *pysrc.Call, fn *project.Function) holdings {
	to := holdings{}
	var names []string
	for _, p := range fn.Params().All() {
		if p.Name != selfOf(fn) {
			names = append(names, p.Name)
		}
	}
	for i, a := range call.Args {
		if _, spread := a.(*pysrc.Starred); spread || i >= len(names) {
			break
		}
		to[names[i]] = h.of(a)
	}
	for _, k := range call.Keywords {
		to[k.Name] = h.of(k.Value)
	}
	return to
}
