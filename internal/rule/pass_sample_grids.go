package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// gridMakers make an array with a number for each point of a grid, of its axes.
var gridMakers = setOfNames("numpy.meshgrid", "numpy.indices", "torch.meshgrid", "torch.cartesian_prod")

// gridsPerSample reports grids of coordinates that a dataset or transform makes anew for each sample though they are always the same.
// One finding for a function.
func (p *SourcePass) gridsPerSample() {
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || cached(fn) || !p.makesGrid(fn) {
			continue
		}
		path, ok := p.CalledForEverySample(fn)
		if !ok {
			continue
		}
		said := false
		p.Inspect(fn.Def, func(n pysrc.Node) bool {
			if grid, ok := n.(pysrc.Expr); ok && !said && p.isGrid(grid) && p.Function(grid) == fn && p.eval.Steady(p.Module, grid) == project.Always {
				if way, ok := p.EverySample(grid); ok && p.sameForEach(way, fn) && p.Rare(grid) == nil {
					said = true
					p.Report(grid, likely*path.Sure).Because(way).Saying("the same grid of coordinates is made for every sample").
						Advising("Make it once, in __init__, or on the GPU.")
				}
			}
			return !said
		})
	}
}

// makesGrid reports a function that makes a grid, at a glance.
func (p *SourcePass) makesGrid(fn *project.Function) (makes bool) {
	if p.Module.Says("mgrid") {
		return true
	}
	for _, s := range fn.Sites {
		makes = makes || gridMakers[s.Calls.Name]
	}
	return makes
}

// isGrid reports np.mgrid[0:h, 0:w] and calls that make a grid.
func (p *SourcePass) isGrid(e pysrc.Expr) bool {
	switch e := e.(type) {
	case *pysrc.Subscript:
		axes, several := e.Slice.(*pysrc.Tuple)
		return several && len(axes.Elts) > 1 && p.NameOf(e.Value) == "numpy.mgrid"
	case *pysrc.Call:
		return gridMakers[p.NameOf(e.Func)]
	}
	return false
}

// sameForEach reports a function whose object is the same for every sample: what a field of it holds does not change.
func (p *SourcePass) sameForEach(path project.Path, fn *project.Function) bool {
	return len(fn.Sites) == 0 || p.sameObject(path, Call{fn.Sites[0], p})
}
