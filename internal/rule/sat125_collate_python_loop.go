package rule

import (
	"maps"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// collateLoop finds collate functions that fill their batch in nested Python loops.
//
// A loop that copies one whole sample a turn is left alone: pad_sequence does the
// same in the same time, 1.2 ms for 32 spectrograms where frame by frame takes 63.
var collateLoop = Rule{
	Code: "SAT125", Name: "collate-python-loop", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the collate function fills the batch in nested Python loops",
	What: "A collate function writes into a padded tensor in a nested loop: frame by frame or number by number. Also a dataset or " +
		"transform that goes through the pixels of an image or the values of a signal in Python, or through all pairs of points, or searches a whole array for each element; and random numbers " +
		"that Python draws one by one: for all samples between two epochs, or 16 and more for each sample until none is among those " +
		"that it has.",
	Why: "Every iteration goes through the interpreter and starts a small copy, so the loops take much longer than " +
		"one large copy.",
	Fine: "Inner loops with two or three iterations.",
	Advice: "torch.nn.utils.rnn.pad_sequence pads a list of tensors in one call; torch.stack stacks tensors of equal " +
		"shape. A loop that copies whole samples is fine.",
	Bad:  "for i, x in enumerate(samples):\n    for t, frame in enumerate(x):\n        batch[i, t] = frame",
	Good: "batch = pad_sequence(samples, batch_first=True)",
	Source: func(p *SourcePass) {
		for _, fn := range p.Module.Functions {
			path, ok := p.CalledForEverySample(fn)
			if !ok || path.Kind != project.Collate {
				continue
			}
			for _, loop := range p.outerLoops(fn) {
				if elementWrites(loop) > 1 {
					p.Report(header(loop), nearlyCertain*path.Sure).Because(path)
					break
				}
			}
		}
		p.elementLoops()
		p.drawnByNumber()
		p.rejectedDraws()
		p.classLoops()
		p.windowLoops()
		p.workedElements()
	},
}

// outerLoops are the for loops of a function that no other loop of it holds.
func (p *SourcePass) outerLoops(fn *project.Function) []*pysrc.For {
	var list []*pysrc.For
	p.Inspect(fn.Def, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.FunctionDef, *pysrc.Lambda:
			return n == pysrc.Node(fn.Def)
		case *pysrc.For:
			list = append(list, n)
			return false
		}
		return true
	})
	return list
}

// elementWrites tells over how many nested loops a write into a tensor runs,
// batch[i, …] = x with an index from each of them: 0 when there is none.
func elementWrites(loop *pysrc.For) int {
	deepest := 0
	var walk func(n pysrc.Node, level int, levels map[string]int)
	walk = func(n pysrc.Node, level int, levels map[string]int) {
		switch n := n.(type) {
		case *pysrc.For:
			if !overConstant(n.Iter) {
				level++
				levels = withLevel(levels, n.Target, level)
			}
		case *pysrc.Assign:
			for _, t := range n.Targets {
				deepest = max(deepest, indexedLevels(t, levels))
			}
		}
		pysrc.Children(n, func(c pysrc.Node) { walk(c, level, levels) })
	}
	walk(loop, 0, map[string]int{})
	return deepest
}

// withLevel adds the names that a loop sets.
func withLevel(levels map[string]int, target pysrc.Expr, level int) map[string]int {
	next := maps.Clone(levels)
	pysrc.Inspect(target, func(n pysrc.Node) bool {
		if x, ok := n.(*pysrc.Name); ok {
			next[x.ID] = level
		}
		return true
	})
	return next
}

// indexedLevels counts the loops whose variables index the axes of batch[i, …]:
// of a tensor, with several axes, and not of a list or a dict.
func indexedLevels(target pysrc.Expr, levels map[string]int) int {
	s, ok := target.(*pysrc.Subscript)
	if !ok {
		return 0
	}
	t, ok := s.Slice.(*pysrc.Tuple)
	if !ok {
		if _, rows := s.Value.(*pysrc.Subscript); rows {
			return len(indexLevels(s, levels)) // batch[i][j]
		}
		return 0
	}
	if len(t.Elts) < 2 {
		return 0
	}
	used, slices := map[int]bool{}, false
	for _, e := range t.Elts {
		switch e := e.(type) {
		case *pysrc.Name:
			if levels[e.ID] > 0 {
				used[levels[e.ID]] = true
			}
		case *pysrc.Slice:
			slices = true
		}
	}
	if !slices && len(used) < 2 {
		return 0 // one number of a small table
	}
	return len(used)
}

// overConstant reports a loop over a few things that are written out.
func overConstant(iter pysrc.Expr) bool {
	switch x := iter.(type) {
	case *pysrc.Tuple, *pysrc.List:
		return true
	case *pysrc.Name:
		return x.ID == strings.ToUpper(x.ID)
	case *pysrc.Call:
		return lastName(x.Func) == "enumerate" && len(x.Args) > 0 && overConstant(x.Args[0])
	}
	return false
}
