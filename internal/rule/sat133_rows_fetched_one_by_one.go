package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// rowsFetchedOneByOne finds loaders that put large batches together from rows that lie in memory.
var rowsFetchedOneByOne = Rule{
	Code: "SAT133", Name: "rows-fetched-one-by-one", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "each batch is put together from rows that are in memory already",
	What: "A training DataLoader with a batch size of 256 or more over a TensorDataset, or over a dataset whose " +
		"__getitem__ only indexes tensors, arrays or lists of its own, with the default collate function. Also one over range(n), of an evaluation, " +
		"too, whose numbers index what is in memory. Networks on images are left out.",
	Why: "For each row Python calls __getitem__, makes small tensors and stacks them: microseconds a row, milliseconds a " +
		"batch, and more between processes. data[indices] takes all rows of a batch at once.",
	Fine: "A model whose step takes much longer. Rows of a megabyte.",
	Advice: "Index the tensors with a batch of indices: sampler=BatchSampler(RandomSampler(data), batch_size, False) with " +
		"batch_size=None, or __getitems__ in the dataset (torch 2.0). Where the data fits on the GPU, keep it there and " +
		"take data[torch.randperm(n)[i:i + b]].",
	Gain: Range{1, 2, "1024 rows of 8 and 3 numbers: 2.2 ms one by one, 0.13 ms by one index; 1024 numbers of range: 0.94 ms, 0.03 ms by randperm (torch 2, one CPU core)"},
	Bad:  "def __getitem__(self, i):\n    return self.rays[i], self.colors[i]\n\nDataLoader(data, batch_size=1024, shuffle=True)",
	Good: "def __getitems__(self, indices):\n    return self.rays[indices], self.colors[indices]\n\n" +
		"DataLoader(data, batch_size=1024, shuffle=True, collate_fn=lambda batch: batch)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.numbersOfEvaluation()
		for _, loader := range p.TrainingLoaders() {
			size := loader.Arg("batch_size")
			if n, known := size.Int(); !known || n < manyRows || p.FeedsGPU(loader) == 0 || p.fetchesOtherwise(loader) || p.ofImages() {
				continue
			}
			if p.numbersDrawn(loader) != nil {
				p.reportNumbers([]Call{loader}, p.FeedsGPU(loader))
				continue
			}
			at, ok := p.plainRows(loader.Arg("dataset"))
			if !ok {
				continue
			}
			r := p.Report(loader.Callee(), probable*size.Confidence()*p.FeedsGPU(loader)).Because(size)
			if at.Source != nil {
				r.Because(at)
			}
		}
	},
}

// manyRows is the batch size from which putting a batch together row by row takes as long as a small step.
const manyRows = 256

// fetchesOtherwise reports a loader that does not put its batches together from single samples by default.
func (p *SourcePass) fetchesOtherwise(loader Call) bool {
	for _, name := range []string{"collate_fn", "batch_sampler", "sampler"} {
		if v := loader.Arg(name); v.Given() && !v.IsNone() && (name != "sampler" || v.IsInstance("torch.utils.data.BatchSampler")) {
			return true
		}
	}
	return p.isStream(loader)
}

// ofImages reports a program with convolutions over images, whose rows are large.
func (p *SourcePass) ofImages() bool {
	return p.nearCalls("torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.functional.conv2d") || p.Uses("torchvision.models.*", "timm.*")
}

// plainRows tells whether a dataset only indexes what it holds in memory, and where it does.
func (p *SourcePass) plainRows(data Value) (at project.Step, ok bool) {
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Kind != project.Instance {
			continue
		}
		if v.Name == "torch.utils.data.TensorDataset" {
			return at, true
		}
		if v.Class == nil || !v.Class.Derives("torch.utils.data.Dataset") || v.Class.Method("__getitems__") != nil {
			continue
		}
		get := v.Class.Method("__getitem__")
		if get == nil || get.Def == nil {
			continue
		}
		f := rowFetch{pass: p.In(get.Module), class: v.Class, made: v.Made, fields: map[string]bool{}}
		if f.plain(get.Def.Body) && f.at != nil && f.inMemory() {
			return f.pass.At(f.at, "each row is taken by itself"), true
		}
	}
	return at, false
}

// rowFetch is a __getitem__ that is read statement by statement.
type rowFetch struct {
	pass   *SourcePass
	class  *project.Class
	made   *project.Site
	fields map[string]bool // of the dataset, which are indexed
	at     Node            // the first row that is taken
}

// plain reports statements that do nothing but take rows and return them.
func (f *rowFetch) plain(body []pysrc.Stmt) bool {
	for _, stmt := range body {
		switch s := stmt.(type) {
		case *pysrc.ExprStmt:
			if _, text := pysrc.StringValue(s.Value); !text {
				return false
			}
		case *pysrc.Assign:
			if !f.takes(s.Value) {
				return false
			}
		case *pysrc.Return:
			return s.Value != nil && f.takes(s.Value)
		case *pysrc.If:
			holds, known := f.decides(s.Test)
			switch {
			case known && holds:
				if !f.plain(s.Body) {
					return false
				}
			case known:
				if !f.plain(s.Orelse) {
					return false
				}
			case !f.plain(s.Body) || !f.plain(s.Orelse):
				return false
			}
		default:
			return false
		}
	}
	return true
}

// takes reports an expression that indexes fields or variables and calls nothing but what makes a tensor of a row.
func (f *rowFetch) takes(e pysrc.Expr) bool {
	plain := true
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.IfExp:
			plain = plain && f.takes(n.Body) && f.takes(n.Orelse)
			return false
		case *pysrc.Call:
			plain = plain && f.wraps(n)
		case *pysrc.ListComp, *pysrc.GeneratorExp, *pysrc.Lambda, *pysrc.DictComp:
			plain = false
		case *pysrc.Subscript:
			if f.at == nil {
				f.at = n
			}
		case *pysrc.Attribute:
			if field := project.FieldOfSelf(n); field != "" {
				f.fields[field] = true
			}
		}
		return plain
	})
	return plain
}

// wraps reports a call that makes a tensor or a number of a row.
func (f *rowFetch) wraps(c *pysrc.Call) bool {
	switch name := f.pass.NameOf(c.Func); {
	case name == "int", name == "float", name == "torch.from_numpy", name == "torch.tensor", name == "torch.as_tensor":
		return true
	default:
		kind, torch := strings.CutPrefix(name, "torch.")
		return torch && hostTensors[kind] || reshapes[lastName(c.Func)] && len(c.Args) == 0
	}
}

// decides tells whether a test of a field holds in the dataset that was made, by what its constructor was given.
func (f *rowFetch) decides(test pysrc.Expr) (holds, known bool) {
	switch t := test.(type) {
	case *pysrc.UnaryOp:
		if t.Op == pysrc.Not {
			holds, known = f.decides(t.Operand)
			return !holds, known
		}
	case *pysrc.Compare:
		want, ok := pysrc.StringValue(t.Comparators[0])
		value := f.given(t.Left)
		switch text, literal := value.Str(); {
		case len(t.Ops) != 1:
		case pysrc.IsConst(t.Comparators[0], pysrc.None):
			return value.IsNone() == (t.Ops[0] == pysrc.Is || t.Ops[0] == pysrc.Eq), value.IsNone()
		case ok && literal && (t.Ops[0] == pysrc.Eq || t.Ops[0] == pysrc.NotEq):
			return (text == want) == (t.Ops[0] == pysrc.Eq), true
		}
	case *pysrc.Attribute:
		value := f.given(t)
		return value.Truth()
	}
	return false, false
}

// given is what the dataset's constructor was given for a field.
func (f *rowFetch) given(e pysrc.Expr) Value {
	field := project.FieldOfSelf(e)
	init := f.class.Method("__init__")
	if field == "" || init == nil || init.Def == nil || f.made == nil {
		return Value{}
	}
	var param string
	pysrc.Inspect(init.Def, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 && isAttributeOf(a.Targets[0], field) {
			param = pysrc.DottedName(a.Value)
		}
		return true
	})
	v := f.pass.eval.Argument(f.made, param)
	if d := init.Def.Args.Default(param); v.Missing() && d != nil {
		return f.pass.In(init.Module).Eval(d)
	}
	return v
}

// inMemory reports whether one of the fields holds a tensor, an array or a list, and none a file.
func (f *rowFetch) inMemory() bool {
	known := false
	for _, fn := range f.class.Methods {
		if fn.Def == nil {
			continue
		}
		in, file := f.pass.In(fn.Module), false
		pysrc.Inspect(fn.Def, func(n pysrc.Node) bool {
			a, ok := n.(*pysrc.Assign)
			if !ok || len(a.Targets) != 1 || !f.fields[project.FieldOfSelf(a.Targets[0])] {
				return true
			}
			name := in.Eval(a.Value).Name
			library, _, _ := strings.Cut(name, ".")
			file = file || library == "h5py" || library == "lmdb" || library == "zarr" || library == "datasets" || library == "pandas" || library == "polars" ||
				strings.Contains(name, "memmap") || callsMapped(a.Value)
			known = known || in.isArray(a.Value) || in.isTensor(a.Value) || isListOf(a.Value)
			return true
		})
		if file {
			return false
		}
	}
	return known
}

// callsMapped reports np.load(path, mmap_mode="r") and its like.
func callsMapped(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	return ok && (c.Keyword("mmap_mode") != nil || c.Keyword("mmap") != nil)
}

// isListOf reports a list that Python makes, or the sum of two.
func isListOf(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.ListComp:
		return true
	case *pysrc.BinOp:
		return x.Op == pysrc.Mult && isListOf(x.Left)
	case *pysrc.List:
		return len(x.Elts) > 0
	case *pysrc.Call:
		return lastName(x.Func) == "tolist"
	}
	return false
}
