package rule

import "saturate/internal/pysrc"

// rowsInOneProcess reports maps and filters of the datasets library that go through all rows in Python, in one process. It
// happens once, so it is small. One finding for a module.
func (p *SourcePass) rowsInOneProcess() {
	if !p.Imports("datasets") || !p.trained() {
		return
	}
	var said *Report
	for _, c := range p.MethodCalls("map", "filter") {
		workers := c.Arg("num_proc")
		if inProcesses(workers) || p.EvaluationOnly(c) || p.LoopAround(c) != nil {
			continue
		}
		sure := p.isDataSet(c.Receiver())
		if sure == 0 || p.streams(datasetMap{Call: c, sure: sure}) || !p.goesThroughRows(c) {
			continue
		}
		if said != nil {
			said.Too(p.At(c, "and here"))
			continue
		}
		said = p.Report(c, likely*sure*workers.Confidence()).Because(workers).Small("it runs once, and its result is kept").
			Saying("one process goes through all rows in Python before training").
			Advising("Pass num_proc with the number of cores to map and filter.")
	}
}

// goesThroughRows reports a call whose function is called for each row, or goes through the rows of a batch in a loop.
func (p *SourcePass) goesThroughRows(c Call) bool {
	given := firstArg(c.Node)
	if k := c.Node.Keyword("function"); k != nil {
		given = k.Value
	}
	if given == nil {
		return false
	}
	batched := c.Arg("batched")
	if lambda, ok := given.(*pysrc.Lambda); ok {
		return batched.Missing() || batched.IsFalse() || loopsIn(lambda.Body)
	}
	fn := p.Eval(given).Func
	if fn == nil || fn.Def == nil || p.In(fn.Module).heavyIn(fn) != nil { // which is more than rows
		return false
	}
	return batched.Missing() || batched.IsFalse() || batched.IsTrue() && loopsIn(fn.Def)
}

// loopsIn reports a loop or comprehension in a node.
func loopsIn(n pysrc.Node) (found bool) {
	pysrc.Inspect(n, func(n pysrc.Node) bool {
		switch n.(type) {
		case *pysrc.For, *pysrc.While, *pysrc.Comprehension:
			found = true
		}
		return !found
	})
	return found
}
