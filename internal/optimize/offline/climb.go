package offline

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// parentsOf are the nodes around a node within its function's statement, outermost first.
func parentsOf(fn *project.Function, node pysrc.Node) []pysrc.Node {
	var root pysrc.Node = fn.Module.StatementAt(node.Bounds().Start)
	if fn.Lambda != nil {
		root = fn.Lambda
	}
	var parents []pysrc.Node
	pysrc.InspectPath(root, func(n pysrc.Node, path []pysrc.Node) bool {
		if n == node {
			parents = slices.Clone(path)
		}
		b := n.Bounds()
		return parents == nil && b.Start <= node.Bounds().Start && node.Bounds().End <= b.End
	})
	return parents
}

// climb goes from a call to the expression that makes a plain value of it: from requests.post(…) to
// np.frombuffer(requests.post(…).content, np.int16) / 32768. It stops below what is kept on its own, and below
// everything that is not known to be a mere change of form.
func (w *work) climb(fn *project.Function, node pysrc.Expr, parents []pysrc.Node) pysrc.Expr {
	m := fn.Module
	at := node
	for i := len(parents) - 1; i >= 0; i-- {
		switch p := parents[i].(type) {
		case *pysrc.Attribute:
			if call, ok := parentAt(parents, i-1).(*pysrc.Call); ok && call.Func == pysrc.Expr(p) {
				if site := m.SiteAt(call); site == nil || drawsNumber(site) || !w.plainArguments(m, call, at) {
					return at
				}
				i--
				at = call
				continue
			}
			at = p
		case *pysrc.Subscript:
			if p.Value != at || !constant(p.Slice) {
				return at
			}
			at = p
		case *pysrc.Keyword:
		case *pysrc.Call:
			if site := m.SiteAt(p); site == nil || !changesForm(site) || !w.plainArguments(m, p, at) {
				return at
			}
			at = p
		case *pysrc.BinOp:
			if other := p.Left; other == at && !constant(p.Right) || other != at && !constant(other) {
				return at
			}
			at = p
		default:
			return at
		}
	}
	return at
}

func parentAt(parents []pysrc.Node, i int) pysrc.Node {
	if i < 0 {
		return nil
	}
	return parents[i]
}

// constant reports an expression of literals and names in capitals.
func constant(e pysrc.Expr) bool {
	ok := true
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Constant, *pysrc.UnaryOp, *pysrc.BinOp, *pysrc.Slice, *pysrc.Tuple:
		case *pysrc.Name:
			ok = ok && n.ID == strings.ToUpper(n.ID)
		case *pysrc.Attribute:
			ok = ok && constant(n.Value)
			return false
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// plainArguments reports whether the other arguments of a call draw nothing.
func (w *work) plainArguments(m *project.Module, call *pysrc.Call, except pysrc.Expr) bool {
	for _, s := range sitesIn(m, call.Span) {
		b, x := s.Node.Bounds(), except.Bounds()
		if drawsNumber(s) && (b.Start < x.Start || b.End > x.End) {
			return false
		}
	}
	return true
}

// changesForm reports a call that reads, wraps or converts what it is given.
func changesForm(s *project.Site) bool {
	name := s.Calls.Name
	if slices.Contains(converters, name) {
		return true
	}
	switch s.Method() {
	case "run_until_complete":
		return true
	case "join":
		return len(s.Node.Args) == 1 // b"".join(chunks)
	}
	if n, ok := s.Node.Func.(*pysrc.Name); ok && s.Calls.Func == nil && s.Calls.Class == nil {
		return slices.Contains([]string{"bytes", "list", "tuple", "next", "float"}, n.ID)
	}
	return false
}

var converters = []string{
	"asyncio.run", "io.BytesIO", "base64.b64decode",
	"soundfile.read", "librosa.load", "librosa.core.load", "torchaudio.load", "scipy.io.wavfile.read", "wave.open",
	"audioread.audio_open",
	"librosa.resample", "librosa.to_mono", "librosa.util.normalize", "torchaudio.functional.resample",
	"scipy.signal.resample", "scipy.signal.resample_poly", "soxr.resample", "resampy.resample",
	"numpy.frombuffer", "numpy.asarray", "numpy.array", "numpy.concatenate", "numpy.ascontiguousarray",
	"numpy.float32", "numpy.log", "numpy.log10", "numpy.abs", "numpy.squeeze",
	"librosa.power_to_db", "librosa.amplitude_to_db", "librosa.db_to_power",
	"torch.tensor", "torch.from_numpy", "torch.as_tensor", "torch.FloatTensor", "torch.Tensor", "torch.log",
	"torch.log10", "torch.cat", "torch.squeeze", "torch.unsqueeze",
}
