package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// wholeShards reports files with many samples that are loaded whole for one of them: the dataset works out the file and the
// place in it from the sample's number.
func (p *SourcePass) wholeShards(said map[*project.Function]bool) {
	for _, c := range p.CallsTo("pickle.load", "torch.load", "numpy.load", "joblib.load", "json.load", "pandas.read_parquet", "pandas.read_csv", "pandas.read_pickle") {
		if said[c.Func] || !dividesNumber(c.Func) || c.Arg("mmap_mode").Given() || c.Arg("mmap").Given() {
			continue
		}
		path, ok := p.EverySample(c)
		if !ok || len(path.Calls) > 0 || p.ConstantArguments(path, c) && c.Name() != "pickle.load" && c.Name() != "json.load" || p.underTest(c) {
			continue
		}
		said[c.Func] = true
		p.Report(c, likely*path.Sure).Because(path).Saying("a whole file is loaded for one of its samples").
			Advising("Keep the samples in a format that reads one at a time (numpy.load with mmap_mode, HDF5, LMDB, WebDataset), or go " +
				"through the files in order and keep the open one.")
	}
}

// dividesNumber reports a function that works out the file of a sample and its place there: i // n and i % n, divmod(i, n), or
// a search in the numbers at which files begin.
func dividesNumber(fn *project.Function) bool {
	if fn.Def == nil || fn.Class == nil {
		return false
	}
	if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		switch lastName(s.Node.Func) {
		case "divmod", "bisect", "bisect_right", "bisect_left", "searchsorted":
			return true
		}
		return false
	}) {
		return true
	}
	file, place := false, false
	pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
		if op, ok := n.(*pysrc.BinOp); ok {
			given, named := op.Left.(*pysrc.Name)
			file = file || op.Op == pysrc.FloorDiv && named && fn.HasParameter(given.ID)
			place = place || op.Op == pysrc.Mod && named && fn.HasParameter(given.ID)
		}
		return true
	})
	return file && place
}
