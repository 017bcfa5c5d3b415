package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// listOfNdarrayToTensor finds tensors that are made from a list of NumPy arrays, number by number.
var listOfNdarrayToTensor = Rule{
	Code: "SAT116", Name: "list-of-ndarray-to-tensor", Severity: Warning,
	Title:  "a tensor is made from a list of NumPy arrays",
	What:   "torch.tensor, torch.FloatTensor and the like on a list whose elements are NumPy arrays, in what loads the data or trains.",
	Why:    "Torch walks the list and converts every single number through a Python object; one array is copied as a block.",
	Fine:   "Lists of plain numbers, and arrays of different shapes, which need padding instead.",
	Gain:   Range{1, 1.3, "the call itself: 1.97 to 0.063 s in pytorch/pytorch#57467, 3.6x in facebook/Ax#4798"},
	Bad:    "torch.tensor([np.load(f) for f in files])",
	Good:   "torch.tensor(np.stack([np.load(f) for f in files]))",
	Safety: Safe,
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor", "torch.Tensor", "torch.DoubleTensor", "torch.IntTensor") {
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
			p.Report(call, 0.9*path.Sure).Because(path).
				Fix(safety, "make one array of them first", append(edits, p.InsertBefore(list, stack+"("), p.InsertAfter(list, ")"))...)
		}
	},
}

// arrayMakers are functions of NumPy and of audio libraries that give an array of one or more axes.
var arrayMakers = map[string]bool{
	"numpy.array": true, "numpy.asarray": true, "numpy.load": true, "numpy.zeros": true, "numpy.ones": true, "numpy.full": true, "numpy.stack": true,
	"numpy.concatenate": true, "numpy.pad": true, "numpy.frombuffer": true, "numpy.loadtxt": true, "numpy.linspace": true, "numpy.arange": true,
	"numpy.hstack": true, "numpy.vstack": true, "numpy.expand_dims": true, "numpy.transpose": true, "numpy.log1p": true, "numpy.fft.rfft": true,
	"cv2.imread": true, "cv2.resize": true, "cv2.cvtColor": true, "librosa.feature.melspectrogram": true, "librosa.feature.mfcc": true, "librosa.stft": true,
}

// holdsArrays tells whether a list is made of NumPy arrays: a comprehension over
// calls that make them, a list of such calls, or a variable that they are appended to.
func (p *SourcePass) holdsArrays(list pysrc.Expr, at Call) bool {
	switch x := list.(type) {
	case *pysrc.ListComp:
		return p.makesArray(x.Elt)
	case *pysrc.List:
		for _, e := range x.Elts {
			if !p.makesArray(e) {
				return false
			}
		}
		return len(x.Elts) > 0
	case *pysrc.Name:
		if comp, ok := p.Eval(x).Expr.(*pysrc.ListComp); ok && p.Function(comp) == p.Function(at) {
			return p.makesArray(comp.Elt)
		}
		return p.appendsArrays(x.ID, p.Function(at))
	}
	return false
}

func (p *SourcePass) makesArray(e pysrc.Expr) bool {
	v := p.Eval(e)
	name, _ := strings.CutSuffix(v.Name, "()")
	return v.Kind == project.Instance && (arrayMakers[name] || v.Name == "numpy.ndarray")
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
