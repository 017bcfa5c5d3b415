package rule

import (
	"slices"
	"sort"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

func setOfNames(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[n] = true
	}
	return m
}

// Shown returns the tensors whose values a call needs to show them: those among
// its arguments, in f-strings, after % and in .format(…), in dicts and lists.
// What .item() has read already is not among them.
func (p *SourcePass) Shown(c Call) []pysrc.Expr {
	var list []pysrc.Expr
	for _, a := range c.Node.Args {
		list = p.shownIn(a, list)
	}
	for _, k := range c.Node.Keywords {
		list = p.shownIn(k.Value, list)
	}
	return list
}

func (p *SourcePass) shownIn(e pysrc.Expr, list []pysrc.Expr) []pysrc.Expr {
	all := func(parts []pysrc.Expr) []pysrc.Expr {
		for _, part := range parts {
			list = p.shownIn(part, list)
		}
		return list
	}
	switch x := e.(type) {
	case *pysrc.Name: // message = f"loss {loss}"
		if said := p.Module.SaidLast(x); said != nil && isText(said) {
			return p.shownIn(said, list)
		}
	case *pysrc.JoinedStr:
		return all(x.Values)
	case *pysrc.FormattedValue:
		return p.shownIn(x.Value, list)
	case *pysrc.Starred:
		return p.shownIn(x.Value, list)
	case *pysrc.Dict:
		return all(x.Values)
	case *pysrc.List:
		return all(x.Elts)
	case *pysrc.Tuple:
		return all(x.Elts)
	case *pysrc.BinOp:
		if x.Op == pysrc.Mod || x.Op == pysrc.Add {
			if isText(x.Left) || isText(x.Right) {
				return p.shownIn(x.Right, p.shownIn(x.Left, list))
			}
		}
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && a.Attr == "format" && isText(a.Value) {
			for _, k := range x.Keywords {
				list = p.shownIn(k.Value, list)
			}
			return all(x.Args)
		}
		if n := lastName(x.Func); (n == "str" || n == "round" || n == "repr") && len(x.Args) > 0 {
			return p.shownIn(x.Args[0], list)
		}
	}
	if p.isOnDevice(e) {
		list = append(list, e)
	}
	return list
}

func isText(e pysrc.Expr) bool {
	switch e := e.(type) {
	case *pysrc.JoinedStr:
		return true
	case *pysrc.BinOp:
		return isText(e.Left) || isText(e.Right)
	case *pysrc.Call:
		return lastName(e.Func) == "str"
	}
	_, ok := pysrc.StringValue(e)
	return ok
}

// deviceArgument reports an expression that names a device to move to: device,
// self.device, args.device, "cuda", a rank. The device of another tensor is not
// meant: x.to(y.device) mostly moves nothing.
func (p *SourcePass) deviceArgument(e pysrc.Expr) bool {
	if text, ok := pysrc.StringValue(e); ok {
		return strings.HasPrefix(text, "cuda") || text == "gpu"
	}
	switch x := e.(type) {
	case *pysrc.Name:
		return namesDevice(x.ID) || p.isDevice(e) || p.Project.UsedAsDevice(p.Module, x) || p.saidDevice(x)
	case *pysrc.Attribute:
		if namesDevice(x.Attr) {
			return p.OnDevice(x.Value) < perhaps
		}
		return p.isDevice(e) || p.Project.UsedAsDevice(p.Module, x)
	case *pysrc.Subscript: // args.gpu_ids[0], config["device"]
		key, _ := pysrc.StringValue(x.Slice)
		return namesDevice(key) || namesDevice(lastName(x.Value)) || p.isDevice(e)
	case *pysrc.Call:
		return p.isDevice(e)
	case *pysrc.JoinedStr:
		return len(x.Values) > 0 && p.deviceArgument(x.Values[0])
	}
	return false
}

// namesDevice reports the name of a device, of a GPU or of a process with one.
func namesDevice(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "device") || strings.Contains(name, "gpu") || name == "rank" || name == "local_rank"
}

// saidDevice reports a variable that is set once, to what names a device: place = self.device.
func (p *SourcePass) saidDevice(name *pysrc.Name) bool {
	said, ok := p.Module.SaidOnce(name).(*pysrc.Attribute)
	return ok && p.deviceArgument(said)
}

// isDevice reports a torch.device, the name of a GPU, "cuda", or a rank: the number of one.
func (p *SourcePass) isDevice(e pysrc.Expr) bool {
	v := p.Eval(e)
	return slices.ContainsFunc(append(v.Either, v), func(v Value) bool {
		name, _ := v.Str()
		return v.IsInstance("torch.device") || strings.HasPrefix(name, "cuda") || devicesGiven[v.Name]
	})
}

// devicesGiven are functions of libraries that give a device or its number.
var devicesGiven = setOfNames("torch.accelerator.current_accelerator()", "torch.distributed.get_rank()", "torch.cuda.current_device()",
	"torch.distributed.get_node_local_rank()", "int()")

// hostMove is x.to(device) or x.cuda().
type hostMove struct {
	Call
	tensor pysrc.Expr // what is moved
	device pysrc.Expr // nil for cuda()
}

// movesToDevice returns the calls that move something to a device by name.
func (p *SourcePass) movesToDevice() []hostMove {
	if p.shared.moves == nil {
		p.shared.moves = p.findMoves()
	}
	return p.shared.moves
}

func (p *SourcePass) findMoves() []hostMove {
	list := []hostMove{}
	for _, c := range p.MethodCalls("to", "cuda") {
		m := hostMove{Call: c, tensor: c.Receiver()}
		if c.Method() == "to" {
			m.device = firstArg(c.Node)
			if k := c.Node.Keyword("device"); k != nil && m.device == nil {
				m.device = k.Value
			}
			if m.device == nil || !p.deviceArgument(m.device) {
				continue
			}
		}
		list = append(list, m)
	}
	return list
}

// CallAt returns the call of a node of this module's tree.
func (p *SourcePass) CallAt(c *pysrc.Call) Call {
	sites := p.Module.Sites
	i := sort.Search(len(sites), func(i int) bool { return sites[i].Node.Start >= c.Start })
	for ; i < len(sites); i++ {
		if sites[i].Node == c {
			return Call{sites[i], p}
		}
	}
	return Call{&project.Site{Node: c, Func: p.Function(c), Block: p.Module.BlockAt(c.Start), Calls: &Value{}}, p}
}

// targetDevice is the device of x.to(device) and x.cuda(), and whether nothing else is asked for.
func targetDevice(c *pysrc.Call) (device pysrc.Expr, plain bool) {
	device = firstArg(c)
	plain = len(c.Args) <= 1 && len(c.Keywords) == 0
	if k := c.Keyword("device"); k != nil && device == nil {
		device, plain = k.Value, len(c.Keywords) == 1
	}
	return device, plain
}

// valueOnGPU is Tensor, also through the variables and parameters of which a
// bound is made: start = starts[i], end = start + size.
func (p *SourcePass) valueOnGPU(e pysrc.Expr, depth int) float64 {
	sure := p.OnDevice(e)
	if sure >= likely || depth > 4 {
		return sure
	}
	switch x := e.(type) {
	case *pysrc.BinOp:
		return max(p.valueOnGPU(x.Left, depth+1), p.valueOnGPU(x.Right, depth+1))
	case *pysrc.Subscript:
		return p.valueOnGPU(x.Value, depth+1)
	case *pysrc.Name:
		if value := p.Module.SaidOnce(x); value != nil {
			return p.valueOnGPU(value, depth+1)
		}
		if list, _ := p.Module.SaidOrGiven(x); len(list) > 0 {
			return 0 // set anew, and not what was given
		}
		given, _ := p.eval.GivenOnDevice(p.Module, x)
		return max(sure, given)
	}
	return 0
}
