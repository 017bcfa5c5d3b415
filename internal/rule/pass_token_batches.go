package rule

import (
	"cmp"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// getterOf is the function that makes a sample of a loader's dataset, if the project has it; nil otherwise.
func getterOf(loader Call) *project.Function {
	data := loader.Arg("dataset")
	if data.Class == nil {
		return nil
	}
	if get := data.Class.Method("__getitem__"); get != nil && get.Def != nil {
		return get
	}
	return nil
}

// givesNumbers reports a loader whose samples are whole numbers, ids of tokens, as far as the dataset and its collate function show: a
// batch has kilobytes.
func (p *SourcePass) givesNumbers(loader Call) bool {
	get := getterOf(loader)
	if get == nil {
		return false
	}
	whole, other := countKinds(get)
	collate := loader.Arg("collate_fn")
	fn := collate.Func
	if collate.Class != nil && collate.Kind == project.Instance {
		fn = collate.Class.Method("__call__")
	}
	if last := cmp.Or(fn, get); p.In(last.Module).returnsWhole(last) {
		return true
	}
	if fn != nil {
		w, o := countKinds(fn)
		whole, other = whole+w, other+o
	}
	return whole > 0 && other == 0
}

// countKinds counts the calls of a function that make tensors of whole numbers, and those that make or read anything else.
func countKinds(fn *project.Function) (whole, other int) {
	for _, s := range fn.Sites {
		switch {
		case makesWhole(s):
			whole++
		case s.Calls.Func != nil || s.Method() == "float" || strings.HasPrefix(s.Calls.Name, "numpy.") || decodersOf[s.Calls.Name]:
			other++
		case strings.HasPrefix(s.Calls.Name, "torch.") && !neutral[lastName(s.Node.Func)]:
			other++
		}
	}
	return whole, other
}

var decodersOf = setOfNames(decoders...)

// neutral are functions of torch that arrange what they are given, and those that draw a place.
var neutral = setOfNames("cat", "stack", "pad", "pad_sequence", "randint", "rand", "triu", "ones", "where", "is_tensor", "arange", "flip", "unsqueeze")

// makesWhole reports torch.LongTensor(ids), ids.long(), torch.tensor(ids, dtype=torch.long) and a tokenizer that gives tensors.
func makesWhole(s *project.Site) bool {
	switch s.Calls.Name {
	case "torch.LongTensor", "torch.IntTensor", "torch.cuda.LongTensor":
		return true
	}
	if s.Method() == "long" && len(s.Node.Args) == 0 || s.Node.Keyword("return_tensors") != nil {
		return true
	}
	dtype := s.Node.Keyword("dtype")
	return dtype != nil && slices.Contains([]string{"torch.long", "torch.int64", "torch.int32", "torch.int"}, pysrc.DottedName(dtype.Value))
}

// returnsWhole reports a function that returns tensors of whole numbers, as far as each of its returns shows.
func (p *SourcePass) returnsWhole(fn *project.Function) bool {
	returns := fn.Returns()
	return len(returns) > 0 && !slices.ContainsFunc(returns, func(r pysrc.Expr) bool { return !p.holdsWhole(r, 0) })
}

// holdsWhole reports what holds nothing but whole numbers: torch.from_numpy(ids.astype(np.int64)), a tuple or a dict of such.
func (p *SourcePass) holdsWhole(e pysrc.Expr, depth int) bool {
	if depth > deepestHeld {
		return false
	}
	all := func(parts []pysrc.Expr) bool {
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(e pysrc.Expr) bool { return !p.holdsWhole(e, depth+1) })
	}
	switch x := e.(type) {
	case *pysrc.Tuple:
		return all(x.Elts)
	case *pysrc.List:
		return all(x.Elts)
	case *pysrc.Dict:
		return all(x.Values)
	case *pysrc.Subscript:
		return p.holdsWhole(x.Value, depth+1)
	case *pysrc.Name:
		return all(p.Module.SaidEither(x))
	case *pysrc.Call:
		s := p.Module.SiteAt(x)
		switch {
		case s == nil:
			return false
		case makesWhole(s):
			return true
		case s.Method() == "astype":
			return len(x.Args) > 0 && wholeTypes[lastName(x.Args[0])]
		}
		switch s.Calls.Name {
		case "torch.from_numpy", "torch.as_tensor", "torch.tensor", "torch.stack", "torch.cat", "torch.nn.utils.rnn.pad_sequence":
			return len(x.Args) > 0 && p.holdsWhole(x.Args[0], depth+1)
		}
	}
	return false
}

// wholeTypes are the types of ids; images are uint8 on the host, and float later.
var wholeTypes = setOfNames("int64", "int32", "int", "long")
