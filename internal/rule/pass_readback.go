package rule

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// readBack is a call that brings a tensor's value to the host.
type readBack struct {
	Call
	tensor pysrc.Expr
	math   bool // a function of the host computes with it
}

func (p *SourcePass) readsBack() []readBack {
	if p.shared.reads == nil {
		p.shared.reads = append([]readBack{}, p.findReadsBack()...)
	}
	return slices.Clone(p.shared.reads)
}

func (p *SourcePass) findReadsBack() []readBack {
	return slices.Concat(p.plainReads(), p.mathReads(), p.numbersNeeded())
}

// plainReads are those that do nothing else.
func (p *SourcePass) plainReads() (list []readBack) {
	for _, c := range p.MethodCalls("item", "tolist") {
		if len(c.Node.Args) == 0 {
			list = append(list, readBack{Call: c, tensor: c.Receiver()})
		}
	}
	for _, c := range p.CallsTo("float", "int", "bool") {
		if len(c.Node.Args) == 1 {
			if inner, ok := c.Node.Args[0].(*pysrc.Call); !ok || p.reducesOnDevice(inner) || p.givesTensor(inner) {
				list = append(list, readBack{Call: c, tensor: c.Node.Args[0]})
			}
		}
	}
	return list
}

// mathReads are those of functions of the host that compute with a tensor.
func (p *SourcePass) mathReads() (list []readBack) {
	for _, c := range p.CallsTo("math.sqrt", "math.log", "math.log2", "math.log10", "math.exp", "math.pow", "math.isnan", "math.isinf",
		"math.isfinite", "math.floor", "math.ceil", "math.fabs") {
		if len(c.Node.Args) == 1 && !p.byFlag(c) {
			list = append(list, readBack{Call: c, tensor: c.Node.Args[0], math: true})
		}
	}
	for _, c := range p.CallsTo("max", "min") { // of Python, which compares and asks for the truth
		if len(c.Node.Args) < 2 || p.byFlag(c) {
			if of := firstArg(c.Node); len(c.Node.Args) == 1 && p.mayStep(c) && p.comparesEach(of) {
				list = append(list, readBack{Call: c, tensor: of, math: true})
			}
			continue
		}
		for _, a := range c.Node.Args {
			if _, unpacked := a.(*pysrc.Starred); !unpacked && p.OnDevice(a) >= likely {
				list = append(list, readBack{Call: c, tensor: a, math: true})
				break
			}
		}
	}
	for _, c := range p.CallsTo("sorted", "any", "all") {
		if of := firstArg(c.Node); of != nil && p.mayStep(c) && p.comparesEach(of) {
			list = append(list, readBack{Call: c, tensor: of, math: true})
		}
	}
	return list
}

// comparesEach reports what Python goes through to ask for the truth of each part, or of each comparison: a tensor, or tensors that a
// comprehension computes.
func (p *SourcePass) comparesEach(e pysrc.Expr) bool {
	switch x := e.(type) {
	case *pysrc.GeneratorExp:
		return p.OnDevice(x.Elt) >= likely
	case *pysrc.ListComp:
		return p.OnDevice(x.Elt) >= likely
	}
	return p.OnDevice(e) >= likely && p.isOneTensor(e, 0)
}

// reducesOnDevice reports a method or a function of torch that reduces a tensor on the GPU, where its result is, too:
// mask.sum() of int(mask.sum()), torch.norm(w.grad) of float(torch.norm(w.grad)).
func (p *SourcePass) reducesOnDevice(c *pysrc.Call) bool {
	a, ok := c.Func.(*pysrc.Attribute)
	if !ok || readByMethod[a.Attr] {
		return false
	}
	if strings.HasPrefix(p.NameOf(c.Func), "torch.") {
		return p.OnDevice(c) >= likely || len(c.Args) > 0 && namesGradient(c.Args[0], p)
	}
	return p.OnDevice(a.Value) >= likely && p.OnDevice(c) >= likely || namesGradient(a.Value, p)
}

// givesTensor reports a call of a function of the project that gives a tensor of the GPU: float(norm_of(parameters)).
func (p *SourcePass) givesTensor(c *pysrc.Call) bool {
	fn := p.Eval(c.Func).Func
	return fn != nil && fn.Def != nil && p.mayStep(c) && p.OnDevice(c) >= likely
}

// readByMethod are the methods whose result is on the host already.
var readByMethod = setOfNames("item", "tolist", "cpu", "numpy", "size", "dim", "numel", "is_floating_point", "equal", "get_device")

// byFlag reports a node in an arm that a plain variable chooses, as where a function serves numbers and tensors.
func (p *SourcePass) byFlag(n Node) bool {
	fn := p.Function(n)
	for id := p.Module.BlockAt(n.Bounds().Start); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if test, ok := p.Module.Block(id).Owner.(*pysrc.If); ok {
			if _, flag := test.Test.(*pysrc.Name); flag {
				return true
			}
		}
	}
	return false
}

// testedAbove reports a read in an arm of an if whose test reads the same: one of the two is reported.
func (p *SourcePass) testedAbove(read Node) bool {
	text, at, fn := p.Text(read), read.Bounds().Start, p.Function(read)
	for id := p.Module.BlockAt(at); id >= 0 && p.Module.Block(id).Func == fn; id = p.Module.Block(id).Parent {
		if test, ok := p.Module.Block(id).Owner.(*pysrc.If); ok && strings.Contains(p.Text(test.Test), text) &&
			!test.Test.Bounds().Contains(int(at)) {
			return true
		}
	}
	return false
}

// inProgressBar reports a node among the arguments of a progress bar's method.
func (p *SourcePass) inProgressBar(n Node) bool {
	at := int(n.Bounds().Start)
	for _, c := range p.MethodCalls(barMethods...) {
		if c.Node.Span.Contains(at) {
			return true
		}
	}
	return false
}

// barMethods are the methods of a progress bar that take something to show.
var barMethods = []string{"set_postfix", "set_postfix_str", "set_description", "set_description_str"}
