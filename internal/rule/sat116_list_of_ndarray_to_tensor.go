package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// listOfNdarrayToTensor finds tensors that are made from a list of NumPy arrays, number by number.
var listOfNdarrayToTensor = Rule{
	Code: "SAT116", Name: "list-of-ndarray-to-tensor", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a tensor is made from a list of NumPy arrays",
	What: "torch.tensor, torch.FloatTensor or similar on a list of NumPy arrays, or on the parts of one array, " +
		"while loading data or training.",
	Why: "torch walks the list and converts every number through a Python object. A single array is copied as " +
		"one block.",
	Fine:   "Lists of plain numbers. Arrays of different shapes, which need padding instead.",
	Gain:   Range{1, 1.3, "the call itself: from 1.97 to 0.063 s in pytorch/pytorch#57467, 3.6× in facebook/Ax#4798"},
	Bad:    "torch.tensor([np.load(f) for f in files])",
	Good:   "torch.tensor(np.stack([np.load(f) for f in files]))",
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor",
			"torch.Tensor", "torch.DoubleTensor", "torch.IntTensor") {
			if len(call.Node.Args) == 0 || p.EvaluationOnly(call) {
				continue
			}
			list := call.Node.Args[0]
			if !p.holdsArrays(list, call) {
				continue
			}
			path, ok := p.PerSample(call)
			if !ok {
				if path, ok = p.Hot(call); !ok {
					continue
				}
			}
			safety := Safe
			if _, several := list.(*pysrc.List); several {
				safety = Unsafe // arrays of different types would become one of the wider type
			}
			stack, edits := p.Import("numpy.stack")
			r := p.Report(call, nearlyCertain*path.Sure).Because(path)
			if comp := p.comprehension(list, call); comp != nil && p.takesApart(comp) {
				r.Saying("a tensor is made from a NumPy array element by element")
			}
			r.Fix(safety, "combine them into one array first", append(edits, p.InsertBefore(list, stack+"("), p.InsertAfter(list, ")"))...)
		}
	},
}

// arrayMakers are functions of NumPy and of audio libraries that give an array of one or more axes.
var arrayMakers = map[string]bool{
	"numpy.array": true, "numpy.asarray": true, "numpy.load": true, "numpy.zeros": true, "numpy.ones": true, "numpy.full": true, "numpy.stack": true,
	"numpy.concatenate": true, "numpy.pad": true, "numpy.frombuffer": true, "numpy.loadtxt": true, "numpy.linspace": true, "numpy.arange": true,
	"numpy.hstack": true, "numpy.vstack": true, "numpy.expand_dims": true, "numpy.transpose": true, "numpy.log1p": true, "numpy.fft.rfft": true,
	"numpy.sort": true, "numpy.argsort": true, "numpy.cumsum": true, "numpy.flip": true, "numpy.tile": true, "numpy.repeat": true, "numpy.reshape": true, "numpy.eye": true,
	"cv2.imread": true, "cv2.resize": true, "cv2.cvtColor": true, "librosa.feature.melspectrogram": true, "librosa.feature.mfcc": true, "librosa.stft": true,
}

// holdsArrays reports whether a list is made of NumPy arrays: a comprehension over
// calls that make them or over an array itself, a list of such calls, or a variable
// that they are appended to.
func (p *SourcePass) holdsArrays(list pysrc.Expr, at Call) bool {
	if comp := p.comprehension(list, at); comp != nil {
		return p.makesArray(comp.Elt) || p.takesApart(comp) || p.takesArrays(comp, p.Function(at))
	}
	switch x := list.(type) {
	case *pysrc.List:
		for _, e := range x.Elts {
			if !p.makesArray(e) {
				return false
			}
		}
		return len(x.Elts) > 0
	case *pysrc.Name:
		return p.appendsArrays(x.ID, p.Function(at))
	}
	return false
}

// comprehension returns the list comprehension that an argument is, or that the
// function has given to a variable of that name, or nil.
func (p *SourcePass) comprehension(list pysrc.Expr, at Call) *pysrc.ListComp {
	if name, ok := list.(*pysrc.Name); ok {
		if made, ok := p.Eval(name).Expr.(*pysrc.ListComp); ok && p.Function(made) == p.Function(at) {
			return made
		}
		return nil
	}
	comp, _ := list.(*pysrc.ListComp)
	return comp
}

// takesApart reports [row for row in image], where image is an array.
func (p *SourcePass) takesApart(comp *pysrc.ListComp) bool {
	row, ok := comp.Elt.(*pysrc.Name)
	if !ok || len(comp.Generators) != 1 || len(comp.Generators[0].Ifs) > 0 {
		return false
	}
	target, ok := comp.Generators[0].Target.(*pysrc.Name)
	return ok && target.ID == row.ID && p.makesArray(comp.Generators[0].Iter)
}

// makesArray reports an expression that gives an array of one or more axes; what is computed from one is one too.
func (p *SourcePass) makesArray(e pysrc.Expr) bool {
	if sum, ok := e.(*pysrc.BinOp); ok {
		switch sum.Op {
		case pysrc.Add, pysrc.Sub, pysrc.Mult, pysrc.Div:
			return p.makesArray(sum.Left) || p.makesArray(sum.Right)
		}
		return false
	}
	v := p.Eval(e)
	possible := v.Either
	if len(possible) == 0 {
		possible = []Value{v}
	}
	return !slices.ContainsFunc(possible, func(v Value) bool {
		name, _ := strings.CutSuffix(v.Name, "()")
		return v.Kind != project.Instance || !arrayMakers[name] && v.Name != "numpy.ndarray"
	})
}

// appendsArrays reports a list of a function to which arrays alone are appended.
func (p *SourcePass) appendsArrays(name string, fn *project.Function) bool {
	appended := false
	for _, value := range assignedIn(fn, name) {
		if list, ok := value.(*pysrc.List); ok && len(list.Elts) == 0 {
			continue
		}
		if !p.makesArray(value) || p.setsWhole(name, value) {
			return false
		}
		appended = true
	}
	return appended
}

// setsWhole reports a value that a statement gives to the variable itself, and does not append.
func (p *SourcePass) setsWhole(name string, value pysrc.Expr) bool {
	a, ok := p.Module.StatementAt(value.Bounds().Start).(*pysrc.Assign)
	return ok && stores(a.Targets, map[string]bool{name: true})
}
