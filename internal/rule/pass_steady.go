package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// enoughKernels is how many operations make a table worth keeping.
const enoughKernels = 3

// manyKernels is how many make it worth keeping where it must be made again for another length.
const manyKernels = 6

// muchWork is how many kernels of the GPU alone, without a copy from the host, take a time that counts.
const muchWork = 16

// steadyTables reports tables that a function of the training step computes from values that never change, or that change
// only with the length of a batch: positions, grids, schedules, masks, kernels. One finding for each function.
func (p *SourcePass) steadyTables() {
	if !p.runsOnGPU() || p.jaxOnly() || !p.trained() && len(p.TrainingLoops()) == 0 {
		return
	}
	for _, fn := range p.Module.Functions {
		if fn.Def == nil || !fn.InStep() || fn.BaseName() == "__init__" || p.reportsIn(fn.Def.Span) || cached(fn) || !p.makesTables(fn) ||
			p.handsOutTable(fn) { // its caller is the one to keep it
			continue
		}
		for _, t := range p.tablesIn(fn) {
			way, ok := p.EachStep(t.at)
			if !ok || p.keptOnTheWay(way, p.CallAt(t.at)) || storesOnTheWay(way) {
				continue
			}
			what := "is computed in every step but never changes"
			sure := likely * way.Sure
			if t.how == project.ByShape {
				what, sure = "is computed in every step but changes only with the length", probable*way.Sure
			}
			r := p.Report(t.at, sure).Because(way).Saying("%s %s", p.Short(t.at), what)
			if made := p.CallAt(t.at).Site.Calls.Func; made != nil {
				r.Because(p.In(made.Module).firstTable(made))
			}
			if t.little {
				r.Small("a few small kernels compute it")
			} else if t.how == project.ByShape {
				r.Small("computing it again for each length takes little of a step")
			}
			if t.how == project.ByShape {
				r.Advising("Compute it once for the greatest length in __init__, keep it with self.register_buffer(…, " +
					"persistent=False), and take the part that a batch needs.")
			}
			break
		}
	}
}

// makesTables reports a function that makes or gets a table in a training step.
func (p *SourcePass) makesTables(fn *project.Function) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return p.tableWeight(s, 0) > 0 && p.isHot(s) })
}

// firstTable is where a function starts to make its table.
func (p *SourcePass) firstTable(fn *project.Function) project.Step {
	for _, s := range fn.Sites {
		if s.Calls.Func == nil && p.tableWeight(s, 0) > 0 {
			return p.At(s.Node, "made here")
		}
	}
	return p.At(fn.Def, "made here")
}

// handsOutTable reports a function whose result is a table, for all that training steps pass.
func (p *SourcePass) handsOutTable(fn *project.Function) bool {
	return len(p.Project.Givers(fn)) > 0 && p.weightOfFunction(fn, 1) >= enoughKernels && fn.BaseName() != "forward" &&
		slices.ContainsFunc(fn.Returns(), func(r pysrc.Expr) bool { return p.eval.Steady(p.Module, r) != project.Changes })
}

// storesOnTheWay reports a way through a method that fills fields of its object, such as one that makes a longer table.
func storesOnTheWay(way project.Path) bool {
	return slices.ContainsFunc(way.Calls, func(s *project.Site) bool {
		return s.Func != way.Root && s.Func.Def != nil && s.Func.Class != nil && setsField(s.Func)
	})
}

func (p *SourcePass) reportsIn(span pysrc.Span) bool {
	return slices.ContainsFunc(p.reports, func(r *Report) bool { return span.Contains(int(r.span.Start)) })
}

// table is an expression of the step whose value is steady.
type table struct {
	at     *pysrc.Call
	how    project.Steadiness
	little bool // work for the GPU, or the host
}

// tablesIn are the tables that a function computes, each by its first call, where enough operations follow from it.
func (p *SourcePass) tablesIn(fn *project.Function) []table {
	c := tableCount{pass: p, names: map[string]bool{}, made: map[string]bool{}}
	for _, s := range fn.Def.Body {
		c.statement(s)
	}
	if c.kept {
		return nil
	}
	always, byShape := c.first[project.Always], c.first[project.ByShape]
	all := c.weight[project.Always] + c.weight[project.ByShape]
	switch {
	case c.weight[project.Always] >= enoughKernels && always != nil:
		little := c.weight[project.Always] < muchWork && (p.madeThere(always) || p.besideWaits(always) > 0)
		return []table{{always, project.Always, little}}
	case byShape != nil && (all >= manyKernels || p.makesMask(byShape)):
		return []table{{byShape, project.ByShape, all < muchWork && p.madeThere(byShape)}}
	}
	return nil
}

// makesMask reports a square table: a triangle of torch, or what a function of the project makes of several operations.
func (p *SourcePass) makesMask(c *pysrc.Call) bool {
	return p.callWeight(c) >= enoughKernels
}

// madeThere reports a table that is made on the GPU: by a call that is told the device, or by a function of the project
// all of whose tables are.
func (p *SourcePass) madeThere(c *pysrc.Call) bool {
	sites := []*project.Site{p.CallAt(c).Site}
	if fn := sites[0].Calls.Func; fn != nil {
		sites = slices.DeleteFunc(slices.Clone(fn.Sites), func(s *project.Site) bool { return p.tableWeight(s, 1) == 0 || lastName(s.Node.Func) == "meshgrid" })
	}
	for _, s := range sites {
		made := s.Node
		if inner := triangleOf(made); inner != nil {
			made = inner
		} else if name := lastName(made.Func); name == "triu" || name == "tril" { // of torch.ones(n, n, device=x.device)
			inner, ok := firstArg(made).(*pysrc.Call)
			if !ok {
				return false
			}
			made = inner
		}
		if made.Keyword("device") == nil && !strings.HasPrefix(lastName(made.Func), "new_") && !strings.HasSuffix(lastName(made.Func), "_like") {
			return false
		}
	}
	return len(sites) > 0
}

// tableCount adds up the operations of a function that make tables and work on them.
type tableCount struct {
	pass   *SourcePass
	names  map[string]bool // variables that hold tables
	made   map[string]bool // variables that are made of them, and perhaps of other values
	weight [project.Always + 1]int
	first  [project.Always + 1]*pysrc.Call
	kept   bool // in a field of the object
}

func (c *tableCount) statement(stmt pysrc.Stmt) {
	var inside []pysrc.Stmt
	switch s := stmt.(type) {
	case *pysrc.Assign:
		how := c.expression(s.Value)
		involved := how > project.Changes || mentionsAny(s.Value, c.made) || c.involves(s.Value)
		for _, t := range s.Targets {
			if _, field := t.(*pysrc.Attribute); field && involved {
				c.kept = true
			}
			if involved {
				addStored(t, c.made)
			}
			if how > project.Changes {
				addStored(t, c.names)
			}
		}
		return
	case *pysrc.Return:
		if s.Value != nil {
			c.expression(s.Value)
		}
		return
	case *pysrc.ExprStmt:
		c.expression(s.Value)
		return
	case *pysrc.With:
		inside = s.Body
	case *pysrc.If:
		inside = slices.Concat(s.Body, s.Orelse)
		c.kept = c.kept || returnsGiven(s)
	case *pysrc.For:
		if c.pass.isTrainingLoop(s) || c.pass.EpochLoop(header(s)) == stmt || c.pass.holdsTraining(s) {
			inside = s.Body
		}
	case *pysrc.While:
		if c.pass.isTrainingLoop(s) || c.pass.holdsTraining(s) {
			inside = s.Body
		}
	}
	for _, s := range inside {
		c.statement(s)
	}
}

// returnsGiven reports a test that something is there already and returns it: if table is not None: return table.
func returnsGiven(branch *pysrc.If) bool {
	test, ok := branch.Test.(*pysrc.Compare)
	if !ok || test.Ops[0] != pysrc.IsNot {
		return false
	}
	found := false
	for _, s := range branch.Body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			r, ok := n.(*pysrc.Return)
			found = found || ok && r.Value != nil && mentionsDotted(r.Value, pysrc.DottedName(test.Left))
			return !found
		})
	}
	return found
}

// holdsTraining reports a loop around a training loop.
func (p *SourcePass) holdsTraining(loop pysrc.Stmt) bool {
	return slices.ContainsFunc(p.TrainingLoops(), func(l *project.Loop) bool {
		return l.Module == p.Module && l.Stmt != nil && loop.Bounds().Contains(int(l.Stmt.Bounds().Start))
	})
}

// expression counts the tables in an expression, and tells how steady all of it is if it is one.
func (c *tableCount) expression(e pysrc.Expr) (whole project.Steadiness) {
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		x, ok := n.(pysrc.Expr)
		if !ok {
			return true
		}
		call, isCall := n.(*pysrc.Call)
		_, isOperator := n.(*pysrc.BinOp)
		if name, ok := n.(*pysrc.Name); ok && n == pysrc.Node(e) && c.names[name.ID] {
			whole = project.ByShape
		}
		switch n.(type) {
		case *pysrc.Lambda, *pysrc.ListComp, *pysrc.GeneratorExp:
			return false
		}
		if !isCall && !isOperator || !c.involves(x) {
			return n == pysrc.Node(e) || !isCall
		}
		how := c.pass.eval.Steady(c.pass.Module, x)
		if n == pysrc.Node(e) {
			whole = how
		}
		if how == project.Changes || isCall && c.pass.isCopied(call) ||
			how == project.ByShape && isCall && slices.Contains(windows, c.pass.NameOf(call.Func)) {
			return true
		}
		weight := 1
		if isCall {
			weight = c.pass.callWeight(call)
			if c.first[how] == nil && c.pass.tableWeight(c.pass.CallAt(call).Site, 0) > 0 {
				c.first[how] = call
			}
		}
		c.weight[how] += weight
		return true
	})
	return whole
}

// involves reports an expression that makes a table or works on one.
func (c *tableCount) involves(e pysrc.Expr) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		switch x := n.(type) {
		case *pysrc.Name:
			found = found || c.names[x.ID]
		case *pysrc.Call:
			found = found || c.pass.tableWeight(c.pass.CallAt(x).Site, 0) > 0
		}
		return !found
	})
	return found
}

// isCopied reports a tensor that one call makes on the host and that is moved at once: SAT312's.
func (p *SourcePass) isCopied(c *pysrc.Call) bool {
	call := p.CallAt(c)
	return call.Site.Calls.Func == nil && p.madeOnHost(c) != nil && p.movedAtOnce(call) != nil
}

// callWeight is the tableWeight of a call, or 1 for an operation on a table; a view is free.
func (p *SourcePass) callWeight(c *pysrc.Call) int {
	if weight := p.tableWeight(p.CallAt(c).Site, 0); weight > 0 {
		return weight
	}
	if viewed(c) != nil || lastName(c.Func) == "float" {
		return 0
	}
	return 1
}

// tableWeight is how many kernels, or operations of the host, a call takes that makes or transforms a table: 0 for calls
// that make no array.
func (p *SourcePass) tableWeight(s *project.Site, depth int) int {
	if depth > 3 {
		return 0
	}
	name := s.Calls.Name
	switch {
	case s.Calls.Func != nil:
		return p.weightOfFunction(s.Calls.Func, depth)
	case triangleOf(s.Node) != nil:
		return torchTables["triu"]
	case strings.HasPrefix(name, "torch."):
		switch x := firstArg(s.Node).(type) {
		case *pysrc.ListComp:
			if strings.HasSuffix(name, "ensor") {
				return enoughKernels // Python computes it number by number
			}
		case *pysrc.List:
			if strings.HasSuffix(name, "ensor") && isNumberList(x) {
				return 2 // and copied
			}
		}
		return torchTables[strings.TrimPrefix(name, "torch.")]
	case strings.HasPrefix(name, "numpy."):
		return numpyTables[strings.TrimPrefix(name, "numpy.")]
	case slices.Contains(filterBanks, name):
		return 5
	}
	return 0
}

// triangleOf is the call that fills what a method cuts a triangle of: torch.ones(n, n) of torch.ones(n, n).tril(); nil for other calls.
func triangleOf(c *pysrc.Call) *pysrc.Call {
	cut, ok := c.Func.(*pysrc.Attribute)
	if !ok {
		return nil
	}
	switch cut.Attr {
	case "triu", "tril", "triu_", "tril_":
		made, _ := cut.Value.(*pysrc.Call)
		if made != nil {
			switch lastName(made.Func) {
			case "ones", "full", "zeros", "new_ones", "new_full":
				return made
			}
		}
	}
	return nil
}

// weightOfFunction adds up the tables of a function of the project that returns one.
func (p *SourcePass) weightOfFunction(fn *project.Function, depth int) (sum int) {
	if len(fn.Returns()) == 0 || len(fn.Sites) > 40 {
		return 0
	}
	if known, asked := p.shared.tables[fn]; asked {
		return known
	}
	if p.shared.tables == nil {
		p.shared.tables = map[*project.Function]int{}
	}
	p.shared.tables[fn] = 0 // while it is being asked: it may call itself
	operations := 0
	for _, s := range fn.Sites {
		weight := p.tableWeight(s, depth+1)
		if weight > 0 && fn.Module.LoopAround(s) != nil {
			weight *= enoughKernels
		}
		if weight == 0 && (strings.HasPrefix(s.Calls.Name, "torch.") || strings.HasPrefix(s.Calls.Name, "numpy.")) {
			operations++
		}
		sum += weight
	}
	if sum > 0 {
		sum += operations
	}
	p.shared.tables[fn] = sum
	return sum
}

// torchTables and numpyTables are functions that make an array of different numbers, by the kernels that they take.
var (
	torchTables = map[string]int{
		"arange": 1, "linspace": 1, "logspace": 1, "eye": 1, "triu": 3, "tril": 3, "meshgrid": 2, "cartesian_prod": 2,
		"hann_window": 5, "hamming_window": 5, "blackman_window": 5, "kaiser_window": 5, "bartlett_window": 5,
		"tril_indices": 2, "triu_indices": 2, "combinations": 2,
	}
	numpyTables = map[string]int{
		"arange": 1, "linspace": 1, "logspace": 1, "eye": 1, "meshgrid": 2, "hanning": 3, "hamming": 3, "indices": 2,
	}
)
