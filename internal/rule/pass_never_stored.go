package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// neverStored reports tables that a function of a step or sample looks its result up in, and that nothing ever fills:
// if key in cache: return cache[key], and no cache[key] = … anywhere.
func (p *SourcePass) neverStored() {
	for _, test := range p.Module.Tests {
		found, ok := test.(*pysrc.Compare)
		if !ok || len(found.Ops) != 1 || found.Ops[0] != pysrc.In {
			continue
		}
		branch, ok := p.Module.StatementAt(found.Start).(*pysrc.If)
		fn := p.Function(found)
		if !ok || fn.Def == nil || branch.Test != pysrc.Expr(found) || !returnsPart(branch, found) {
			continue
		}
		table := p.emptyTable(found.Comparators[0], fn)
		if table == "" || p.fillsTable(table, fn) {
			continue
		}
		way, often := p.Hot(found)
		if !often {
			way, often = p.PerSample(found)
		}
		if !often || len(fn.Returns()) < 2 {
			continue
		}
		r := p.Report(found, nearlyCertain*way.Sure).Because(way).
			Saying("nothing is stored in %s, so what is looked up there is computed each time", table).
			Advising("Store the result before it is returned.")
		r.Because(p.At(fn.Returns()[len(fn.Returns())-1], "what could be stored"))
	}
}

// returnsPart reports if key in table: return table[key].
func returnsPart(branch *pysrc.If, found *pysrc.Compare) bool {
	if len(branch.Body) != 1 {
		return false
	}
	r, ok := branch.Body[0].(*pysrc.Return)
	if !ok {
		return false
	}
	part, ok := r.Value.(*pysrc.Subscript)
	table := pysrc.DottedName(found.Comparators[0])
	return ok && table != "" && pysrc.DottedName(part.Value) == table && pysrc.DottedName(part.Slice) == pysrc.DottedName(found.Left)
}

// emptyTable is the name of the dict of a module that starts empty and in which, or in a dict of which, something is looked
// up; or nothing.
func (p *SourcePass) emptyTable(e pysrc.Expr, fn *project.Function) string {
	if name, ok := e.(*pysrc.Name); ok {
		if part, ok := p.Module.SaidLast(name).(*pysrc.Subscript); ok {
			e = part.Value
		}
	}
	name, ok := e.(*pysrc.Name)
	if !ok || storesName(fn.Def, name.ID) || slices.ContainsFunc(fn.Def.Args.All(), func(a *pysrc.Arg) bool { return a.Name == name.ID }) {
		return ""
	}
	values := p.assignments(name.ID, p.Module.Main)
	if len(values) != 1 || !isEmptyDict(values[0]) {
		return ""
	}
	return name.ID
}

func isEmptyDict(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.Dict:
		return len(x.Values) == 0
	case *pysrc.Call:
		return pysrc.DottedName(x.Func) == "dict" && len(x.Args)+len(x.Keywords) == 0 || lastName(x.Func) == "defaultdict"
	}
	return false
}

// fillsTable reports whether anything may put a value into a dict of this module: an assignment to a part of it, other than
// of an empty dict, a method, or code that gets it as a whole.
func (p *SourcePass) fillsTable(table string, fn *project.Function) bool {
	names := map[string]bool{table: true}
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool { // of = table[key]
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 {
			if part, ok := a.Value.(*pysrc.Subscript); ok && isNamed(part.Value, table) {
				addStored(a.Targets[0], names)
			}
		}
		return true
	})
	plain := map[*pysrc.Name]bool{} // where it is only looked at
	fills := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Assign:
			for _, t := range n.Targets {
				part, ok := t.(*pysrc.Subscript)
				if ok && names[rootName(part)] && !isEmptyDict(n.Value) {
					fills = true
				}
				if name, ok := t.(*pysrc.Name); ok {
					plain[name] = true
				}
			}
		case *pysrc.Subscript:
			if name, ok := n.Value.(*pysrc.Name); ok {
				plain[name] = true
			}
		case *pysrc.Compare:
			if name, ok := n.Comparators[0].(*pysrc.Name); ok {
				plain[name] = true
			}
		case *pysrc.Global:
			return false
		case *pysrc.Name:
			fills = fills || names[n.ID] && !plain[n]
		}
		return !fills
	})
	return fills || len(p.Module.ImportedBy) > 0 && p.importedElsewhere(table)
}

// importedElsewhere reports a name of this module that the text of another one near it holds.
func (p *SourcePass) importedElsewhere(name string) bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool { return m != p.Module && m.Says(name) })
}
