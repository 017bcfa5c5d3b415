package rule

import "saturate/internal/pysrc"

// listSearchedPerSample finds datasets that go through all their samples to make one.
var listSearchedPerSample = Rule{
	Code: "SAT132", Name: "list-searched-per-sample", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "all samples are searched for every sample",
	What: "A dataset goes through the list of its samples for each sample: a loop or comprehension over it, or " +
		"self.names.index(name). The list is the one that __len__ counts, or one that __init__ makes of it.",
	Why:    "The time of an epoch grows with the square of the number of samples, in Python.",
	Fine:   "Datasets of a few hundred samples.",
	Advice: "Build a dict from what is searched for to its rows once in __init__, and look it up.",
	Bad: "def __getitem__(self, i):\n    row = self.rows[i]\n    same = [r for r in self.rows if r.user == row.user]\n" +
		"    return make(row, same)",
	Good: "def __getitem__(self, i):\n    row = self.rows[i]\n    return make(row, self.of_user[row.user])",
	Source: func(p *SourcePass) {
		for _, fn := range p.Module.Functions {
			if fn.Class == nil || fn.Def == nil || fn.BaseName() == "__iter__" || fn.IsGenerator() {
				continue
			}
			fields := sampleFields(fn.Class)
			if len(fields) == 0 {
				continue
			}
			said := false
			p.Inspect(fn.Def, func(n pysrc.Node) bool {
				if at := searchOf(n, fields); at != nil && !said && p.Function(at) == fn {
					if path, ok := p.EverySample(at); ok {
						said = true
						p.Report(at, likely*path.Sure).Because(path)
					}
				}
				return !said
			})
		}
	},
}
