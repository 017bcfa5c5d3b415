package rule

import (
	"sort"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// Tensor is the confidence, 0 to 1, that the value of an expression lies on the
// GPU, so that the host must wait to see it. Unlike OnDevice it knows which
// questions about a tensor the host can answer alone: its shape, its strides.
func (p *SourcePass) Tensor(e pysrc.Expr) float64 {
	switch x := e.(type) {
	case *pysrc.Call:
		if a, ok := x.Func.(*pysrc.Attribute); ok && hostAnswers[a.Attr] {
			return 0
		}
		if hostFunctions[lastName(x.Func)] {
			return 0
		}
	case *pysrc.Attribute, *pysrc.Subscript:
		if field := project.FieldOfSelf(e); field != "" && field != "loss" && field != "logits" {
			return 0 // self.loss_weight, self.loss_config["a"]: settings more often than tensors
		}
	case *pysrc.BinOp:
		return max(p.Tensor(x.Left), p.Tensor(x.Right))
	case *pysrc.UnaryOp:
		return p.Tensor(x.Operand)
	case *pysrc.Compare:
		for i, c := range x.Comparators {
			switch x.Ops[i] {
			case pysrc.Is, pysrc.IsNot, pysrc.In, pysrc.NotIn:
				return 0
			}
			if _, text := pysrc.StringValue(c); text || pysrc.IsConst(c, pysrc.None) {
				return 0
			}
		}
		best := p.Tensor(x.Left)
		for _, c := range x.Comparators {
			best = max(best, p.Tensor(c))
		}
		return best
	case *pysrc.Constant, *pysrc.JoinedStr, *pysrc.Lambda:
		return 0
	}
	sure := p.OnDevice(e)
	if sure == 0 || sure > 0.9 {
		return sure
	}
	name, plain := e.(*pysrc.Name)
	if plain {
		if value := p.assigned(name); value != nil && !mentionsName(value, name.ID) {
			return min(sure, p.Tensor(value))
		}
	} else if name = root(e); name == nil || sure >= 0.8 {
		return sure
	}
	if given, known := p.passed(name); known {
		return given
	}
	if sure >= 0.7 && (name.ID == "loss" || name.ID == "logits" || strings.HasSuffix(name.ID, "_loss") || strings.HasSuffix(name.ID, "_logits")) {
		return 0.8 // a parameter of that very name, and not loss_type
	}
	return sure
}

// passed is the confidence that a parameter is given a tensor of the GPU by the
// call through which a training step reaches its function, when that is known.
func (p *SourcePass) passed(name *pysrc.Name) (float64, bool) {
	site, given := p.stepGives(name)
	if given == nil {
		return 0, false
	}
	return p.eval.OnDevice(site.Module(), given), true
}

// hostAnswers are methods of a tensor that do not look at its values.
var hostAnswers = setOfNames("size", "dim", "ndimension", "numel", "nelement", "stride", "storage_offset", "data_ptr",
	"element_size", "is_contiguous", "is_floating_point", "is_complex", "is_pinned", "is_shared", "is_inference", "is_leaf",
	"get_device", "type", "keys", "get", "items", "values", "item", "tolist", "cpu", "numpy", "startswith", "endswith", "__len__")

// hostFunctions are functions whose answer about a tensor needs no values.
var hostFunctions = setOfNames("len", "isinstance", "hasattr", "callable", "type", "id", "is_tensor", "numel")

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
	if p.Tensor(e) >= 0.8 {
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
		return strings.Contains(x.ID, "device") || x.ID == "rank" || x.ID == "local_rank" || x.ID == "gpu" || x.ID == "gpu_id" || p.isDevice(e)
	case *pysrc.Attribute:
		switch x.Attr {
		case "device", "_device", "local_rank", "gpu", "gpu_id", "rank":
			return p.OnDevice(x.Value) < 0.5
		}
		return p.isDevice(e)
	case *pysrc.Subscript:
		key, _ := pysrc.StringValue(x.Slice)
		return key == "device" || p.isDevice(e)
	case *pysrc.Call:
		return p.isDevice(e)
	case *pysrc.JoinedStr:
		return len(x.Values) > 0 && p.deviceArgument(x.Values[0])
	}
	return false
}

func (p *SourcePass) isDevice(e pysrc.Expr) bool {
	return p.Eval(e).IsInstance("torch.device")
}

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
