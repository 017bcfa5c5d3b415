package rule

import "saturate/internal/pysrc"

// pandasRowAccess finds rows of a table that are read through pandas one by one.
var pandasRowAccess = Rule{
	Code: "SAT119", Name: "pandas-row-access", Severity: Advice,
	Title:  "a pandas table is indexed for every sample",
	What:   "iloc or loc of a table in what a data set does for each sample.",
	Why:    "Pandas looks the index up and builds a Series for each row; a NumPy array or a list gives its element at once.",
	Fine:   "Samples that cost milliseconds to decode, beside which a row does not show.",
	Advice: "Take the columns out once in __init__, self.paths = frame[\"path\"].tolist(), and index those.",
	Bad:    "def __getitem__(self, i):\n    row = self.frame.iloc[i]\n    return load(row[\"path\"]), row[\"text\"]",
	Good:   "def __getitem__(self, i):\n    return load(self.paths[i]), self.texts[i]",
	Source: func(p *SourcePass) {
		for _, fn := range p.Module.Functions {
			if fn.Def == nil {
				continue
			}
			if _, ok := p.EverySample(fn.Def.Body[0]); !ok {
				continue
			}
			said := false
			p.Inspect(fn.Def, func(n pysrc.Node) bool {
				row, ok := n.(*pysrc.Subscript)
				if !ok || row.Ctx != pysrc.Load {
					return true
				}
				frame, ok := row.Value.(*pysrc.Attribute)
				if !ok || frame.Attr != "iloc" && frame.Attr != "loc" || said || p.Function(row) != fn || !isAttribute(frame.Value) {
					return true
				}
				if path, ok := p.EverySample(row); ok && p.Varies(row.Slice) {
					said = true
					p.Report(row, 0.9*path.Sure).Because(path)
				}
				return true
			})
		}
	},
}

// isAttribute reports self.x: a table that the data set keeps, and no row of it.
func isAttribute(e pysrc.Expr) bool {
	_, ok := e.(*pysrc.Attribute)
	return ok
}
