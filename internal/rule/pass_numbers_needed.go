package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// numbersNeeded are the calls that need a number of Python and are given a tensor of the GPU, each of which the host reads:
// torch.arange(lengths.max()), x.view(n, -1), range(count), F.interpolate(x, size=(h, w)).
func (p *SourcePass) numbersNeeded() (list []readBack) {
	for _, s := range p.Module.Sites {
		if !s.Func.InStep() {
			continue
		}
		for _, e := range p.needsNumbers(s) {
			if p.isNumberOnGPU(e) {
				list = append(list, readBack{Call: Call{s, p}, tensor: e, math: true})
				break
			}
		}
	}
	return list
}

// sizeMethods are methods of a tensor that take sizes, with the place of the first.
var sizeMethods = map[string]int{
	"view": 0, "reshape": 0, "expand": 0, "repeat": 0, "new_zeros": 0, "new_ones": 0, "new_empty": 0, "new_full": 0, "narrow": 1, "topk": 0,
	"split": 0, "unfold": 1,
}

// needsNumbers are the arguments of a call that torch or Python must know as numbers.
func (p *SourcePass) needsNumbers(s *project.Site) []pysrc.Expr {
	name, args := s.Calls.Name, s.Node.Args
	switch {
	case name == "range":
		return args
	case name == "torch.full" || name == "torch.new_full":
		args = args[:min(1, len(args))]
	case name == "torch.split" || name == "torch.topk" || name == "torch.nn.functional.pad" || name == "torch.nn.functional.one_hot":
		args = args[min(1, len(args)):min(2, len(args))]
	case strings.HasPrefix(name, "torch.nn.functional.interpolate"):
		args = args[min(1, len(args)):min(2, len(args))]
	case creators[strings.TrimPrefix(name, "torch.")] && strings.HasPrefix(name, "torch."):
	case name == "torch.tensor" || name == "torch.as_tensor" || hostTensors[strings.TrimPrefix(name, "torch.")] && strings.HasPrefix(name, "torch."):
		if len(args) == 0 {
			return nil
		}
		return p.partsWritten(args[0], 0) // and not torch.tensor(x), a copy
	default:
		at, ok := sizeMethods[s.Method()]
		if !ok || strings.HasPrefix(name, "numpy.") || s.Calls.Func != nil || s.Calls.Class != nil || isNamed(Call{s, p}.Receiver(), s.Func.Self()) {
			return nil // self.expand(x) calls a layer
		}
		if name == "torch."+s.Method() {
			at++ // torch.reshape(x, shape)
		} else if of := p.Eval(s.Node.Func.(*pysrc.Attribute).Value); of.Kind == project.Package || of.Name != "" && !strings.ContainsAny(of.Name, ".(") {
			return nil // einops.repeat(x, pattern)
		}
		args = args[min(at, len(args)):]
	}
	for _, k := range s.Node.Keywords {
		switch k.Name {
		case "size", "num_classes", "k", "end", "start", "length", "split_size_or_sections", "pad":
			args = append(args[:len(args):len(args)], k.Value)
		}
	}
	var list []pysrc.Expr
	for _, a := range args {
		if parts := p.partsWritten(a, 0); len(parts) > 0 {
			list = append(list, parts...)
			continue
		}
		list = append(list, a)
	}
	return list
}

// partsWritten are the parts of a list or tuple that is written out, that a comprehension computes, or that is made of the rows of a
// tensor: x of list(x); nothing for anything else.
func (p *SourcePass) partsWritten(e pysrc.Expr, depth int) []pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.ListComp:
		return []pysrc.Expr{x.Elt}
	case *pysrc.Call:
		if name := lastName(x.Func); (name == "list" || name == "tuple") && len(x.Args) == 1 {
			return x.Args
		}
	case *pysrc.Name:
		if value := p.Module.SaidOnce(x); value != nil && depth < 2 {
			return p.partsWritten(value, depth+1)
		}
	}
	return elementsOf(e)
}

// isNumberOnGPU reports a tensor of the GPU where a number is needed. What is a tensor by a guess alone may be the number.
func (p *SourcePass) isNumberOnGPU(e pysrc.Expr) bool {
	switch e.(type) {
	case *pysrc.Name, *pysrc.BinOp, *pysrc.Call, *pysrc.Subscript:
		return p.OnDevice(e) >= likely && p.isOneTensor(e, 0)
	}
	return false
}
