package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// textParsedPerSample finds arrays that are parsed from text each time a sample is loaded.
var textParsedPerSample = Rule{
	Code: "SAT134", Name: "text-parsed-per-sample", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a text file is parsed for every sample in every epoch",
	What: "A dataset reads the numbers of each sample from text: numpy.loadtxt, numpy.genfromtxt, pandas.read_csv, " +
		"pandas.read_excel, or a mesh or point cloud with plyfile or trimesh.",
	Why: "Parsing digits costs many times what reading the same numbers from a binary file does. With NumPy 2.4, a table of " +
		"2,500 rows and 3 columns took 12 ms with genfromtxt, 0.6 ms with loadtxt, which is in Python before NumPy 1.23, and " +
		"0.03 ms with np.load.",
	Fine:   "Samples that also decode an image or a sound. Files of a few numbers. A single epoch.",
	Advice: "Parse each file once, before training or when it is first needed, and keep the arrays in memory or as .npy files.",
	Bad:    "def __getitem__(self, i):\n    return torch.from_numpy(np.loadtxt(self.files[i]))",
	Good:   "def __getitem__(self, i):\n    return torch.from_numpy(np.load(self.arrays[i]))  # converted once",
	Source: func(p *SourcePass) {
		var said *Report // points and their labels are one finding
		for _, call := range p.CallsTo(textParsers...) {
			path, ok := p.EverySample(call)
			if !ok || path.Root == nil || p.fewNumbers(call) || p.samePlace(path, call) || cached(call.Func) ||
				p.keptOnTheWay(path, call) || p.In(path.Root.Module).decodesIn(path.Root) {
				continue
			}
			if said != nil {
				said.Too(p.At(call, "and here"))
				continue
			}
			said = p.Report(call, likely*path.Sure).Because(path)
		}
	},
}

// textParsers read numbers from a text file, or a mesh element by element.
var textParsers = []string{
	"numpy.loadtxt", "numpy.genfromtxt", "pandas.read_csv", "pandas.read_table", "pandas.read_excel",
	"plyfile.PlyData.read", "trimesh.load", "trimesh.load_mesh",
}

var isTextParser = setOfNames(textParsers...)

// parsesText reports a call that parses a text file.
func parsesText(s *project.Site) bool { return isTextParser[s.Calls.Name] }

// fewNumbers reports a call that reads a matrix of a fixed size, a few rows, or the numbers of a camera: parsing them takes
// no time.
func (p *SourcePass) fewNumbers(c Call) bool {
	for _, name := range [...]string{"max_rows", "nrows"} {
		if c.Node.Keyword(name) != nil {
			return true
		}
	}
	few := false
	p.Inspect(p.Module.StatementAt(c.Node.Start), func(n pysrc.Node) bool {
		shape, ok := n.(*pysrc.Call)
		if ok && lastName(shape.Func) == "reshape" && callWithin(shape.Func, c.Node) {
			few = few || fixedShape(shape)
		}
		return !few
	})
	return few
}

// callWithin reports an expression that holds a call.
func callWithin(e pysrc.Expr, call *pysrc.Call) bool {
	return e.Bounds().Start <= call.Start && call.End <= e.Bounds().End
}

// fixedShape reports x.reshape(3, 4) and x.reshape((3, 4)): sizes that the source writes out.
func fixedShape(shape *pysrc.Call) bool {
	sides := shape.Args
	if len(sides) == 1 && len(elementsOf(sides[0])) > 0 {
		sides = elementsOf(sides[0])
	}
	for _, side := range sides {
		if n, ok := pysrc.IntValue(side); !ok || n < 1 {
			return false
		}
	}
	return len(sides) > 0
}
