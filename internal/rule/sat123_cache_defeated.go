package rule

import "saturate/internal/project"

// cacheDefeated finds datasets that are prepared anew in every run.
var cacheDefeated = Rule{
	Code: "SAT123", Name: "cache-defeated", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the dataset is prepared again in every run",
	What: "map or filter of the datasets library with load_from_cache_file=False, or disable_caching(), in a " +
		"file that trains.",
	Why: "The library caches the result of a map by a fingerprint of function and data. Without the cache, every " +
		"run waits for the same work.",
	Fine: "While the function is under development. A function that reads something its fingerprint does not " +
		"cover. Streamed datasets, which are not cached.",
	Bad:    "data.map(tokenize, batched=True, load_from_cache_file=False)",
	Good:   "data.map(tokenize, batched=True)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if p.Module.Role != project.Training && !p.trained() {
			return
		}
		for _, c := range p.MethodCalls("map", "filter") {
			if k := c.Node.Keyword("load_from_cache_file"); k == nil || p.isDataSet(c.Receiver()) == 0 || p.EvaluationOnly(c) {
				continue
			}
			if keep := c.Arg("load_from_cache_file"); keep.IsFalse() && keep.Origin.How == project.InPlace {
				p.Report(c, nearlyCertain*p.isDataSet(c.Receiver())).
					Fix(Unsafe, "use the cache of an earlier run", keep.SetTo("True"))
			}
		}
		for _, c := range p.CallsTo("datasets.disable_caching", "datasets.set_caching_enabled") {
			if v := c.ArgAt(0); (c.Name() == "datasets.disable_caching" || v.IsFalse()) && !p.underTest(c) && !p.loadsStream() {
				p.Report(c, nearlyCertain)
			}
		}
	},
}

// loadsStream reports whether a module near this one loads a dataset as a stream.
func (p *SourcePass) loadsStream() bool {
	for _, m := range p.Near() {
		for _, c := range p.In(m).CallsTo("datasets.load_dataset") {
			v := c.Arg("streaming")
			for _, w := range append([]Value{v}, v.Either...) {
				if w.IsTrue() {
					return true
				}
			}
		}
	}
	return false
}
