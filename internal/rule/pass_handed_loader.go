package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// loaderClass is the loader of PyTorch.
const loaderClass = "torch.utils.data.DataLoader"

// handedLoaders are loaders that something else makes: a call which is not known gets the class and, by their names, what the
// loader takes, as in experiment.training.iter(DataLoader, batch_size=12, num_workers=16). What the class gets is seen as a call of
// it, with the rest of the arguments.
func (p *SourcePass) handedLoaders() (list []*project.Site) {
	if !p.Module.Says("DataLoader") {
		return nil
	}
	for _, s := range p.Module.Sites {
		if len(s.Node.Args) == 0 || !takesLoaderKeywords(s.Node) || s.Calls.Func != nil || s.Calls.Class != nil || s.Calls.Name == "functools.partial" {
			continue
		}
		class := s.Node.Args[0]
		v := p.Eval(class)
		if pysrc.DottedName(class) == "" || v.Kind != project.Type || !v.IsClass(loaderClass) {
			continue
		}
		made := &pysrc.Call{Span: pysrc.Span{Start: class.Bounds().Start, End: s.Node.End}, Func: class, Args: s.Node.Args[1:], Keywords: s.Node.Keywords}
		list = append(list, &project.Site{Node: made, Func: s.Func, Block: s.Block, Calls: &v})
	}
	return list
}

// handsClassOn reports a call that gets the class of a loader: what it returns is what makes the loader.
func handsClassOn(e pysrc.Expr, loader Call) bool {
	call, ok := e.(*pysrc.Call)
	return ok && len(call.Args) > 0 && call.Args[0] == loader.Node.Func
}

// takesLoaderKeywords reports a call with two of the arguments of a loader at least.
func takesLoaderKeywords(c *pysrc.Call) bool {
	n := 0
	for _, k := range c.Keywords {
		if slices.Contains(loaderKeywords, k.Name) {
			n++
		}
	}
	return n > 1
}

var loaderKeywords = []string{"dataset", "batch_size", "num_workers", "sampler", "batch_sampler", "collate_fn", "pin_memory", "drop_last"}
