package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// streamRepeatedByWorkers finds streams that every worker goes through whole.
var streamRepeatedByWorkers = Rule{
	Code: "SAT213", Name: "stream-repeated-by-workers", Severity: Error, Subject: AboutLoading,
	Areas: []Area{DataArea}, Regroups: true,
	Title: "every worker reads the whole stream",
	What: "A training DataLoader with workers over an IterableDataset of the project whose __iter__ does not " +
		"check which worker it runs in.",
	Why: "Each of W workers has a copy of the dataset and iterates all of it, so every sample is loaded and " +
		"trained on W times per epoch.",
	Fine: "Streams of random samples. Queues that the workers share.",
	Advice: "Call torch.utils.data.get_worker_info() in __iter__ and give each worker its part: " +
		"itertools.islice(self.lines, info.id, None, info.num_workers).",
	Bad: "def __iter__(self):\n    yield from open(self.path)",
	Good: "def __iter__(self):\n    info = get_worker_info()\n    yield from islice(open(self.path), info.id, " +
		"None, info.num_workers)",
	Source: func(p *SourcePass) {
		for _, loader := range p.TrainingLoaders() {
			workers := loader.Arg("num_workers")
			n, known := workers.Int()
			if !known || n < 2 || !off(loader.Arg("worker_init_fn")) {
				continue
			}
			data := loader.Arg("dataset")
			for _, stream := range append([]Value{data}, data.Either...) {
				if stream.Class == nil || !stream.IsInstance("torch.utils.data.IterableDataset") {
					continue
				}
				iter := stream.Class.Methods["__iter__"]
				if iter == nil || p.sharesOut(stream.Class) || p.drawsSamples(iter) {
					continue
				}
				r := p.Report(loader.Callee(), nearlyCertain*workers.Confidence()*stream.Sure).Because(workers, iter)
				for _, loop := range p.In(iter.Module).outerLoops(iter) {
					r.Because(p.In(iter.Module).At(header(loop), "every worker runs this whole loop"))
				}
				for _, inner := range iter.Sites {
					if fn := inner.Calls.Func; fn != nil && fn.Def != nil && fn.IsGenerator() {
						for _, loop := range p.In(fn.Module).outerLoops(fn) {
							r.Because(p.In(fn.Module).At(header(loop), "every worker runs this whole loop"))
						}
					}
				}
			}
		}
	},
}

// sharesOut reports whether a class, or its file outside of classes that it does not name, speaks of workers, ranks or
// queues, or calls what splits data, so that each worker may have a part of its own. A list of shards alone splits
// nothing.
func (p *SourcePass) sharesOut(c *project.Class) bool {
	found := false
	p.In(c.Module).Inspect(c.Module.File.Module, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.ImportFrom, *pysrc.Import:
			return false
		case *pysrc.ClassDef:
			return !found && (n == c.Def || mentions(c.Def, n.Name))
		case *pysrc.FunctionDef:
			if !c.Def.Span.Contains(int(n.Start)) && !n.Span.Contains(int(c.Def.Start)) && !mentions(c.Def, n.Name) {
				found = found || callsWithin(n, "get_worker_info")
				return false // such as what makes the loader
			}
		case *pysrc.Name:
			found = found || project.HasWord(n.ID, "worker", "workers", "rank", "queue")
		case *pysrc.Attribute:
			found = found || project.HasWord(n.Attr, "worker", "workers", "rank", "queue") && n.Attr != "num_workers"
		case *pysrc.Call:
			found = found || project.HasWord(lastName(n.Func), "shard", "split", "Queue") && lastName(n.Func) != "split"
		}
		return !found
	})
	return found
}

// callsWithin reports a call of a function of that name below a node.
func callsWithin(n pysrc.Node, name string) bool {
	found := false
	pysrc.Inspect(n, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && lastName(c.Func) == name {
			found = true
		}
		return !found
	})
	return found
}

// drawsSamples reports a stream that draws each sample at random and not in another order: a loop that never ends, or
// over numbers, with a draw in it. Workers then draw different ones.
func (p *SourcePass) drawsSamples(iter *project.Function) bool {
	if !drawsAny(iter) || iter.Def == nil {
		return false
	}
	random := true
	pysrc.Inspect(iter.Def, func(n pysrc.Node) bool {
		if loop, ok := n.(*pysrc.For); ok {
			call, ok := loop.Iter.(*pysrc.Call)
			random = random && ok && (lastName(call.Func) == "range" || lastName(call.Func) == "count")
		}
		return true
	})
	return random
}
