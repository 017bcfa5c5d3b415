package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// manyDraws is from how many draws for a sample Python takes as long for them as a worker for a small one: 1 to 3 µs each.
const manyDraws = 16

// rejectedDraws reports datasets and collate functions that draw numbers one by one until enough of them are not among those that
// a sample has: negative sampling.
func (p *SourcePass) rejectedDraws() {
	for _, fn := range p.Module.Functions {
		for _, s := range fn.Sites {
			loop, ok := p.LoopAround(s).(*pysrc.While)
			if !ok || !p.drawsOne(s) || !rejects(loop) {
				continue
			}
			path, ok := p.EverySample(s)
			if !ok || path.Kind != project.DataSet && path.Kind != project.Collate {
				continue
			}
			count, many := p.drawsOf(loop, path)
			if !many {
				continue
			}
			r := p.Report(header(loop), likely*path.Sure).Because(path, p.At(s, "one number in each iteration")).
				Saying("Python draws numbers one by one for each element of a sample, until they fit").
				Advising("Draw them all in one call, np.random.randint(n, size=…), and draw again only those that must not occur.")
			if count > 0 {
				r.Saying("Python draws %d numbers one by one for each sample, until they fit", count)
			}
			break
		}
	}
}

// rejects reports a loop that ends when a number is not among others, or when enough such numbers are gathered.
func rejects(loop *pysrc.While) bool {
	if asksWhetherIn(loop.Test) {
		return true
	}
	return gatheredCount(loop) != nil && slices.ContainsFunc(loop.Body, func(s pysrc.Stmt) bool {
		test, ok := s.(*pysrc.If)
		return ok && asksWhetherIn(test.Test)
	})
}

// asksWhetherIn reports a test of membership: j in seen, j not in seen.
func asksWhetherIn(test pysrc.Node) (found bool) {
	pysrc.Inspect(test, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Compare); ok {
			found = found || slices.ContainsFunc(c.Ops, func(op pysrc.CmpOp) bool { return op == pysrc.In || op == pysrc.NotIn })
		}
		return !found
	})
	return found
}

// gatheredCount is the number that a loop gathers: n of while len(drawn) < n.
func gatheredCount(loop *pysrc.While) pysrc.Expr {
	test, ok := loop.Test.(*pysrc.Compare)
	if !ok || len(test.Ops) != 1 || test.Ops[0] != pysrc.Lt && test.Ops[0] != pysrc.NotEq {
		return nil
	}
	if c, ok := test.Left.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "len" {
		return test.Comparators[0]
	}
	return nil
}

// drawsOf is how many numbers a loop draws for a sample, and whether they are many; 0 for one for each element of a sample.
func (p *SourcePass) drawsOf(loop *pysrc.While, path project.Path) (count int64, many bool) {
	if n := gatheredCount(loop); n != nil {
		count, _ = p.Eval(n).Int()
		return count, count >= manyDraws
	}
	in, around := p, p.LoopAround(loop)
	if around == nil && len(path.Calls) > 0 { // a function draws one number: its calls count
		last := path.Calls[len(path.Calls)-1]
		in = p.In(last.Module())
		around = in.LoopAround(last)
	}
	each, ok := around.(*pysrc.For)
	if !ok || overConstant(each.Iter) {
		return 0, false
	}
	if c, ok := each.Iter.(*pysrc.Call); ok && pysrc.DottedName(c.Func) == "range" && !asksLength(c) {
		count = in.turns(each)
		return count, count >= manyDraws
	}
	return 0, path.Kind == project.DataSet
}

// asksLength reports range(len(x)) and the like, which go over the elements of something.
func asksLength(numbers *pysrc.Call) bool {
	return slices.ContainsFunc(numbers.Args, func(e pysrc.Expr) bool { return callsNamed(e, "len") })
}
