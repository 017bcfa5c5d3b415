package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pandasRowAccess finds rows of a table that are read through pandas one by one.
var pandasRowAccess = Rule{
	Code: "SAT119", Name: "pandas-row-access", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a pandas table is indexed for every sample",
	What:  "A dataset uses iloc or loc of a table, or frame[frame[\"x\"] == y], for each sample.",
	Why: "pandas looks up the index and builds a Series for each row, and a comparison scans the whole column. A " +
		"NumPy array, list or dict returns its element at once.",
	Fine:   "Samples that take milliseconds to decode: the row access is then negligible.",
	Advice: "Extract the columns once in __init__ (self.paths = frame[\"path\"].tolist()) and index those.",
	Bad:    "def __getitem__(self, i):\n    row = self.frame.iloc[i]\n    return load(row[\"path\"]), row[\"text\"]",
	Good:   "def __getitem__(self, i):\n    return load(self.paths[i]), self.texts[i]",
	Source: func(p *SourcePass) {
		for _, c := range p.MethodCalls("iterrows", "itertuples") {
			if way, ok := p.EachStep(c); ok && p.repeated(c) {
				p.Report(c, likely*way.Sure).Because(way).Saying("rows of a table are read one by one in every step").
					Advising("Turn the columns into arrays or tensors once before the loop, and index those.")
			}
		}
		for _, fn := range p.Module.Functions {
			if _, ok := p.CalledForEverySample(fn); !ok {
				continue
			}
			said := false
			p.Inspect(fn.Def, func(n pysrc.Node) bool {
				row, ok := n.(*pysrc.Subscript)
				if !ok || row.Ctx != pysrc.Load {
					return true
				}
				if searchesTable(row) && !said && p.Function(row) == fn {
					if path, ok := p.EverySample(row); ok && p.Varies(row.Slice) {
						said = true
						p.Report(row, nearlyCertain*path.Sure).At(Warning).Because(path).
							Saying("the whole table is searched for every sample").
							Advising("Group the rows once in __init__ (self.of = dict(list(frame.groupby(\"speaker\")))) and look them up.")
					}
					return true
				}
				frame, ok := row.Value.(*pysrc.Attribute)
				if !ok || frame.Attr != "iloc" && frame.Attr != "loc" || said || p.Function(row) != fn ||
					!isAttribute(frame.Value) {
					return true
				}
				if path, ok := p.EverySample(row); ok && p.Varies(row.Slice) && !p.decodesIn(path.Root) {
					said = true
					p.Report(row, nearlyCertain*path.Sure).Because(path)
				}
				return true
			})
		}
	},
}

// decodesIn reports a function that decodes an image or sound or computes features, itself or in what it calls: beside
// that, a row of a table or a look at a text costs nothing.
func (p *SourcePass) decodesIn(fn *project.Function) bool {
	if fn == nil {
		return false
	}
	_, found := p.Reaches(fn, takesLong, 3)
	return found
}

// isAttribute reports self.x: a table that the dataset keeps, and no row of it.
func isAttribute(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Attribute)
	return ok
}

// searchesTable reports self.frame[self.frame["x"] == y].
func searchesTable(row *pysrc.Subscript) bool {
	test, ok := row.Slice.(*pysrc.Compare)
	if !ok || !isAttribute(row.Value) || len(test.Ops) != 1 {
		return false
	}
	name := pysrc.DottedName(row.Value)
	column := test.Left
	switch c := column.(type) {
	case *pysrc.Subscript:
		column = c.Value
	case *pysrc.Attribute:
		column = c.Value
	}
	return name != "" && column != test.Left && pysrc.DottedName(column) == name
}
