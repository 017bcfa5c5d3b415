package rule

import (
	"saturate/internal/patch"
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

// reportNumbers says that a loader puts the numbers of a batch together one by one.
func (p *SourcePass) reportNumbers(loader Call, numbers *pysrc.Call, size Value) {
	r := p.Report(loader.Callee(), probable*size.Confidence()*p.FeedsGPU(loader)).Because(size).
		Saying("the numbers of each batch are drawn and put together one by one").
		Advising("Draw them at once, on the device of the rows that they index: for rows in torch.randperm(n, device=device).split(batch_size).")
	if edits := p.drawnAtOnce(loader, numbers); edits != nil {
		r.Fix(Unsafe, "draw the numbers at once; with the same seed, their order changes", edits...)
	}
}

// drawnAtOnce writes for rows in DataLoader(range(n), size, shuffle=True) as torch.randperm(n).split(size).
func (p *SourcePass) drawnAtOnce(loader Call, numbers *pysrc.Call) []patch.Edit {
	loop, ok := p.Module.StatementAt(loader.Node.Start).(*pysrc.For)
	size := loader.ArgumentNode("batch_size", 1)
	if !ok || loop.Iter != pysrc.Expr(loader.Node) || len(numbers.Args) != 1 || len(numbers.Keywords) > 0 || size == nil ||
		len(loader.Node.Args)+len(loader.Node.Keywords) != 3 || !loader.Arg("shuffle").IsTrue() {
		return nil
	}
	torch, edits := p.Import("torch")
	return append(edits, p.Replace(loader.Node, torch+".randperm("+p.Text(numbers.Args[0])+").split("+p.Text(size)+")"))
}
