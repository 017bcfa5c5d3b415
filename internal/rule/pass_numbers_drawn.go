package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// numbersDrawn is the call range(n), or arange of torch or NumPy, whose numbers are all that a loader gives: a step takes rows by
// them that are in memory already.
func (p *SourcePass) numbersDrawn(loader Call) *pysrc.Call {
	data := loader.ArgumentNode("dataset", 0)
	if name, ok := data.(*pysrc.Name); ok {
		data = p.Module.SaidOnce(name)
	}
	if c, ok := data.(*pysrc.Call); ok {
		switch p.NameOf(c.Func) {
		case "range", "torch.arange", "numpy.arange":
			return c
		}
	}
	return nil
}

// reportNumbers says that loaders of one function put the numbers of a batch together one by one.
func (p *SourcePass) reportNumbers(loaders []Call, sure float64) *Report {
	size := loaders[0].Arg("batch_size")
	r := p.Report(loaders[0].Callee(), probable*size.Confidence()*sure).Because(size).
		Saying("the numbers of each batch are put together one by one").
		Advising("Make them at once, on the device of the rows that they index: for rows in torch.randperm(n, device=device).split(batch_size).")
	var edits []patch.Edit
	for i, loader := range loaders {
		if i > 0 {
			r.Too(p.At(loader.Node, "and here"))
		}
		edits = append(edits, p.drawnAtOnce(loader)...)
	}
	if len(edits) > 0 {
		r.Fix(Unsafe, "make the numbers at once; with the same seed, a shuffled order changes", edits...)
	}
	return r
}

// numbersOfEvaluation reports such loaders of evaluations that training runs again and again.
func (p *SourcePass) numbersOfEvaluation() {
	loaders := map[*project.Function][]Call{}
	var order []*project.Function
	for _, c := range p.Constructions("torch.utils.data.DataLoader") {
		if n, known := c.Arg("batch_size").Int(); !known || n < manyRows || p.numbersDrawn(c) == nil || p.fetchesOtherwise(c) || p.trainsWith(c) {
			continue
		}
		if loaders[c.Func] == nil {
			order = append(order, c.Func)
		}
		loaders[c.Func] = append(loaders[c.Func], c)
	}
	for _, fn := range order {
		if because, again := p.evaluatedAgain(loaders[fn][0], mostRepeatCalls, true); again {
			p.reportNumbers(loaders[fn], p.GPU()).Because(because...)
		}
	}
}

// drawnAtOnce writes for rows in DataLoader(range(n), size, shuffle=True) as torch.randperm(n).split(size), and one that keeps
// the order by torch.arange.
func (p *SourcePass) drawnAtOnce(loader Call) []patch.Edit {
	numbers := p.numbersDrawn(loader)
	loop, ok := p.Module.StatementAt(loader.Node.Start).(*pysrc.For)
	size, shuffle := loader.ArgumentNode("batch_size", 1), loader.Arg("shuffle")
	given := 2
	if shuffle.Given() {
		given = 3
	}
	if !ok || loop.Iter != pysrc.Expr(loader.Node) || len(numbers.Args) != 1 || len(numbers.Keywords) > 0 || size == nil ||
		len(loader.Node.Args)+len(loader.Node.Keywords) != given {
		return nil
	}
	order := "arange"
	switch {
	case shuffle.IsTrue():
		order = "randperm"
	case !off(shuffle):
		return nil
	}
	torch, edits := p.Import("torch")
	return append(edits, p.Replace(loader.Node, torch+"."+order+"("+p.Text(numbers.Args[0])+").split("+p.Text(size)+")"))
}
