package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// forwardPass is where a training loop computes its loss.
type forwardPass struct {
	model    pysrc.Expr   // the call of the model, or the backward when it is not known
	stmts    []pysrc.Stmt // from that call to the last that sets the loss; nil when not known
	backward *project.Site
	sure     float64
}

// ForwardPasses returns the forward pass of each PyTorch training loop whose
// backward stands in this module.
func (p *SourcePass) ForwardPasses() []forwardPass {
	var list []forwardPass
	seen := map[pysrc.Stmt]bool{}
	for _, loop := range p.trainingLoopsHere() {
		for _, step := range loop.Steps {
			if step.Module() != p.Module || step.Method() != "backward" || seen[loop.Stmt] || p.Project.Unused(p.Module, step.Node.Start) {
				continue
			}
			f := p.forwardBefore(step)
			if f.sure == perhaps && loop.Module != p.Module && loopBackward(loop) {
				continue // a helper, such as one that scales the loss, of a loop that has its own
			}
			seen[loop.Stmt] = true
			list = append(list, f)
		}
	}
	return list
}

// loopBackward reports a loop with a backward in its own module.
func loopBackward(loop *project.Loop) bool {
	return slices.ContainsFunc(loop.Steps, func(s *project.Site) bool {
		return s.Module() == loop.Module && s.Method() == "backward"
	})
}

// trainingLoopsHere are the training loops of the project whose step is in this module.
func (p *SourcePass) trainingLoopsHere() []*project.Loop {
	return p.Project.LoopsStepping(p.Module)
}

// forwardBefore finds the statements before a backward that call the model and set the loss: beside it, or before the
// if or with that it stands in.
func (p *SourcePass) forwardBefore(backward *project.Site) forwardPass {
	f := forwardPass{model: backward.Node, backward: backward, sure: perhaps}
	stmt := p.Module.StatementAt(backward.Node.Start)
	for !p.forwardBeside(&f, stmt) {
		outer := p.blockAround(stmt)
		if outer == nil {
			break
		}
		stmt = outer
	}
	return f
}

// blockAround is the if, with or try that a statement stands in, or nil.
func (p *SourcePass) blockAround(stmt pysrc.Stmt) pysrc.Stmt {
	var outer pysrc.Stmt
	p.Module.Around(stmt.Bounds().Start, func(owner pysrc.Node) bool {
		switch o := owner.(type) {
		case *pysrc.If, *pysrc.With, *pysrc.Try:
			if owner != pysrc.Node(stmt) && o.Bounds().Start < stmt.Bounds().Start {
				outer = o.(pysrc.Stmt)
			}
			return outer == nil
		}
		return owner == pysrc.Node(stmt)
	})
	return outer
}

// forwardBeside looks for the forward pass among the statements before one, and reports whether it is there.
func (p *SourcePass) forwardBeside(f *forwardPass, stmt pysrc.Stmt) bool {
	body := p.siblingsOf(stmt)
	end := slices.Index(body, stmt)
	first, last := -1, -1
	for _, find := range []func(*pysrc.Call) bool{p.runsModule, p.namedModel} {
		for i := 0; i < end && first < 0; i++ {
			if call := callIn(body[i], find); call != nil && !p.Under(call, "torch.no_grad", "torch.inference_mode") {
				first, f.model, f.sure = i, call, project.Certain
			}
		}
	}
	for i := max(first, 0); i < end; i++ {
		if setsLoss(body[i], f.backward) {
			last = i
		}
	}
	if first >= 0 && last >= first {
		f.stmts = body[first : last+1]
	}
	return first >= 0
}

// callIn returns the call in a statement that is as asked and runs first, or nil.
func callIn(s pysrc.Stmt, is func(*pysrc.Call) bool) *pysrc.Call {
	var found *pysrc.Call
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && (found == nil || c.End <= found.End && c.Start > found.Start) && is(c) {
			found = c // the arguments are computed before the call
		}
		return true
	})
	return found
}

// runsModule reports a call of what is a module or is used as one, and not a loss.
func (p *SourcePass) runsModule(c *pysrc.Call) bool {
	return p.isModule(c) || p.mayBeModel(c.Func) && !p.isLoss(c.Func) && p.Project.UsedAsModel(p.Module, c.Func)
}

// isLoss reports a module that computes a loss: of a class that says so, or, where its class is not known, by its name.
func (p *SourcePass) isLoss(e pysrc.Expr) bool {
	if v := p.Eval(e); v.Kind == project.Instance && (v.Class != nil || v.IsInstance("torch.nn.Module")) {
		name := v.Name
		if v.Class != nil {
			name = v.Class.Name
		}
		return strings.HasSuffix(name, "Loss") || isCriterion(name[strings.LastIndexByte(name, '.')+1:])
	}
	return isCriterion(lastName(e))
}

// namedModel reports a call of something that is named as models are, where nothing else shows what it is.
func (p *SourcePass) namedModel(c *pysrc.Call) bool {
	return project.HasWord(lastName(c.Func), "model", "net", "network", "generator", "netg", "netd", "discriminator") &&
		p.Eval(c.Func).Kind != project.Type
}

// isModule reports a call of a module that is not a loss.
func (p *SourcePass) isModule(c *pysrc.Call) bool {
	return p.Eval(c.Func).IsInstance("torch.nn.Module") && !p.isLoss(c.Func)
}

func isCriterion(name string) bool { return project.HasWord(name, criterionWords...) }

// setsLoss reports a statement that assigns the name of which backward is called.
func setsLoss(s pysrc.Stmt, backward *project.Site) bool {
	of, whole := "", ""
	if a, ok := backward.Node.Func.(*pysrc.Attribute); ok {
		of, whole = rootName(a.Value), pysrc.DottedName(a.Value)   // loss, self.loss
		if c, ok := a.Value.(*pysrc.Call); ok && len(c.Args) > 0 { // scaler.scale(loss).backward()
			of = rootName(c.Args[0])
		}
	}
	if len(backward.Node.Args) > 0 { // accelerator.backward(loss)
		of = rootName(backward.Node.Args[0])
	}
	found := false
	pysrc.Inspect(s, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			found = found || n.Ctx == pysrc.Store && n.ID == of
		case *pysrc.Attribute:
			found = found || n.Ctx == pysrc.Store && pysrc.DottedName(n) == whole
		}
		return !found
	})
	return found
}

// siblingsOf returns the list of statements in which a statement stands.
func (p *SourcePass) siblingsOf(s pysrc.Stmt) []pysrc.Stmt {
	var list []pysrc.Stmt
	keep := func(lists ...[]pysrc.Stmt) {
		for _, l := range lists {
			if slices.Contains(l, s) {
				list = l
			}
		}
	}
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		b := n.Bounds()
		if _, top := n.(*pysrc.Module); !top && (b.Start > s.Bounds().Start || b.End < s.Bounds().End) {
			return false
		}
		switch n := n.(type) {
		case *pysrc.Module:
			keep(n.Body)
		case *pysrc.FunctionDef:
			keep(n.Body)
		case *pysrc.ClassDef:
			keep(n.Body)
		case *pysrc.For:
			keep(n.Body, n.Orelse)
		case *pysrc.While:
			keep(n.Body, n.Orelse)
		case *pysrc.If:
			keep(n.Body, n.Orelse)
		case *pysrc.With:
			keep(n.Body)
		case *pysrc.Try:
			keep(n.Body, n.Orelse, n.Finalbody)
		}
		return true
	})
	return list
}

// modelPlaced returns the call that puts the model on the GPU in this module:
// model.to(device), Net().cuda(). It is nil when there is none.
func (p *SourcePass) modelPlaced() *pysrc.Call {
	var other *pysrc.Call
	for _, move := range p.movesToDevice() {
		if _, hot := p.Hot(move); hot || p.EvaluationOnly(move) || !p.isModel(move.tensor) && !p.isOptimized(move.Node) {
			continue
		}
		named := lastName(move.tensor) + " "
		if s, ok := p.Module.StatementAt(move.Node.Start).(*pysrc.Assign); ok {
			named += lastName(s.Targets[0])
		}
		class := p.Class(move)
		if callsNamed(move.tensor, "deepcopy") || project.HasWord(named, "ema") || p.EpochLoop(move) != nil {
			continue // an average of the model, or a model that an epoch makes to evaluate it: no step runs it
		}
		if p.returnsGiven(move.tensor) || frozen(p.Module.StatementAt(move.Node.Start)) || p.onlyInfers(move.tensor) {
			continue // a helper that puts anything on a device, or a model that nothing trains
		}
		if isCriterion(strings.ReplaceAll(named, " ", "_")) || p.isLoss(move.tensor) || class != nil && class.Derives("torch.nn.Module") {
			continue // a loss, or a layer of a model
		}
		if fn := p.Function(move); fn == p.Module.Main || p.Project.Leads(fn) || fn.Method() {
			return move.Node
		}
		if other == nil { // made by a function that does not train itself: an average of the model, perhaps
			other = move.Node
		}
	}
	if other == nil {
		other = p.modelFetched()
	}
	return other
}

// modelFetched is the call that gets a model which this module trains from a function of another one that puts it on
// the GPU: net = get_network(args).
func (p *SourcePass) modelFetched() *pysrc.Call {
	for _, s := range p.Module.Sites {
		if fn := s.Calls.Func; fn == nil || fn.Module == p.Module || fn.Method() || !p.isOptimized(s.Node) || !p.placesReturned(fn) {
			continue
		}
		if _, hot := p.Hot(s); !hot && !p.EvaluationOnly(s) {
			return s.Node
		}
	}
	return nil
}

// placesReturned reports a function that moves to the GPU what it returns: net = net.cuda(); return net.
func (p *SourcePass) placesReturned(fn *project.Function) bool {
	near := p.In(fn.Module)
	for _, move := range near.movesToDevice() {
		name, ok := move.tensor.(*pysrc.Name)
		if !ok || move.Func != fn || near.returnsGiven(name) {
			continue
		}
		for _, r := range fn.Returns() {
			if back, ok := r.(*pysrc.Name); ok && back.ID == name.ID {
				return true
			}
		}
	}
	return false
}

// frozen reports a statement that makes a model which is not trained: Net().to(device).requires_grad_(False).
func frozen(s pysrc.Stmt) bool {
	found := false
	if s != nil {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok && lastName(c.Func) == "requires_grad_" && len(c.Args) == 1 && pysrc.IsConst(c.Args[0], pysrc.False) {
				found = true
			}
			return !found
		})
	}
	return found
}

// onlyInfers reports a model that its function switches to evaluation, and that nothing in this module switches back or gives to
// an optimizer; or one whose class does so itself.
func (p *SourcePass) onlyInfers(model pysrc.Expr) bool {
	if v := p.Eval(model); v.Made != nil && p.madeFrozen(v) || v.Class != nil && freezesItself(v.Class) {
		return true
	}
	name := pysrc.DottedName(model)
	switched := func(s *project.Site) bool {
		return len(s.Node.Args) == 0 && pysrc.DottedName(s.Node.Func) == name+".eval" && p.LoopAround(s) == nil
	}
	return name != "" && slices.ContainsFunc(p.Function(model).Sites, switched) &&
		!slices.ContainsFunc(p.Module.Sites, func(s *project.Site) bool {
			switch pysrc.DottedName(s.Node.Func) {
			case name + ".train", name + ".parameters", name + ".named_parameters":
				return true
			}
			return false
		})
}

// freezesItself reports a class that takes gradients from all its weights when it is made: self.requires_grad_(False).
func freezesItself(c *project.Class) bool {
	init := c.Method("__init__")
	return init != nil && slices.ContainsFunc(init.Sites, func(s *project.Site) bool {
		return pysrc.DottedName(s.Node.Func) == init.Self()+".requires_grad_" && len(s.Node.Args) == 1 && pysrc.IsConst(s.Node.Args[0], pysrc.False)
	})
}

// returnsGiven reports a parameter of its function, in a return.
func (p *SourcePass) returnsGiven(e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	_, returned := p.Module.StatementAt(e.Bounds().Start).(*pysrc.Return)
	params := p.Function(e).Params()
	return ok && returned && params != nil && slices.ContainsFunc(params.All(), func(a *pysrc.Arg) bool { return a.Name == name.ID })
}

// isOptimized reports whether an optimizer gets the parameters of what a call gives: then it is a model, whoever made it.
func (p *SourcePass) isOptimized(call *pysrc.Call) bool {
	assign, ok := p.Module.StatementAt(call.Start).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 || pysrc.DottedName(assign.Targets[0]) == "" {
		return false
	}
	found := false
	for _, optimizer := range p.CallsTo("torch.optim.*") {
		p.Inspect(optimizer.Node, func(n pysrc.Node) bool {
			if c, ok := n.(*pysrc.Call); ok {
				f, _ := c.Func.(*pysrc.Attribute)
				found = found || f != nil && f.Attr == "parameters" && pysrc.DottedName(f.Value) == pysrc.DottedName(assign.Targets[0])
			}
			return !found
		})
	}
	return found
}

// branches reports whether a module trains what uses other parameters from step to
// step: adversaries, experts.
func (p *SourcePass) branches() bool {
	found := false
	p.Inspect(p.Module.File.Module, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && project.HasWord(lastName(c.Func), "d") && !p.isLibrary(c.Func) {
			found = true // netD(x); the d of `for d in sets` is none, nor that of nn.Conv2d
		}
		if e, ok := n.(pysrc.Expr); ok && project.HasWord(lastName(e), "discriminator", "disc", "adversarial", "experts",
			"expert", "moe", "gan") {
			found = true
		}
		return !found
	})
	return found
}

// isLibrary reports a function or class of a library, and not an object made by one.
func (p *SourcePass) isLibrary(e pysrc.Expr) bool {
	v := p.Eval(e)
	return v.Name != "" && v.Kind != project.Instance && v.Class == nil
}

// neverMade reports a class that the project, and what derives from it, only makes in branches which its settings and
// defaults leave out, or, of a dataset, for evaluation.
func (p *SourcePass) neverMade(class *project.Class) bool {
	if class == nil {
		return false
	}
	init := class.Methods["__init__"]
	if init == nil {
		return false
	}
	data := class.Derives("torch.utils.data.Dataset")
	makers := slices.DeleteFunc(slices.Clone(p.Project.Callers(init)), func(s *project.Site) bool { return s.Calls.Class == nil })
	return len(makers) > 0 && !slices.ContainsFunc(makers, func(s *project.Site) bool {
		if g := p.eval.Rare(s.Module(), s); g != nil && g.Kind == project.Off {
			return false
		}
		return !data || !p.Project.EvaluationOnly(s.Module(), s)
	})
}
