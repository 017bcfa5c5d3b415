package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

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
			if k := c.Node.Keyword("load_from_cache_file"); k == nil || p.isDataSet(c.Receiver()) == 0 || p.EvaluationOnly(c) || returnsStored(c) {
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

// returnsStored reports a call in a function that returns before it what an earlier run has stored, if that exists: the
// project has a cache of its own.
func returnsStored(c Call) bool {
	if c.Func.Def == nil {
		return false
	}
	found := false
	pysrc.Inspect(c.Func.Def, func(n pysrc.Node) bool {
		if branch, ok := n.(*pysrc.If); ok && branch.Start < c.Node.Start && len(branch.Body) > 0 && asksForFile(branch.Test) {
			_, returns := branch.Body[len(branch.Body)-1].(*pysrc.Return)
			found = found || returns
		}
		return !found
	})
	return found
}

// asksForFile reports a test whether a file or folder exists.
func asksForFile(test pysrc.Expr) bool {
	found := false
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if call, ok := n.(*pysrc.Call); ok {
			switch lastName(call.Func) {
			case "exists", "isfile", "isdir", "is_file", "is_dir":
				found = true
			}
		}
		return !found
	})
	return found
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
