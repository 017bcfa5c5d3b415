package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// hostReadEachStep finds results of JAX that the host waits for in every step.
var hostReadEachStep = Rule{
	Code: "SAT803", Name: "host-read-each-step", Severity: Warning, Safety: Unsafe, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Title: "a JAX result is read in every step",
	What: "float(x), x.item(), np.asarray(x), jax.device_get(x), block_until_ready, print or add_scalar on a result of a " +
		"jitted step, in a training loop or a function that it hands the result to, and not behind a condition such as step % 100 == 0.",
	Why: "JAX queues work without waiting. Reading a value makes the host wait until the step is done, and the " +
		"device idles until the next step is queued.",
	Fine:   "Reading every N steps. Reading the value of the previous step. Deliberate back-pressure. Measurements.",
	Advice: "Keep the values on the device and read them every N steps, or read the value of the previous step.",
	Bad:    "for batch in batches:\n    state, loss = train_step(state, batch)\n    losses.append(float(loss))",
	Good: "for batch in batches:\n    state, loss = train_step(state, batch)\n    losses.append(loss)\nlosses = " +
		"jax.device_get(losses)",
	Source: func(p *SourcePass) {
		p.leavesRead()
		said := map[*project.Site]bool{}
		for _, l := range p.JAXLoops() {
			results := p.results(l)
			if len(results) == 0 {
				continue
			}
			around := p.accumulatedIn(l)
			p.handedReads(l, results, around)
			var waits []*Report
			onHost := map[string]int32{} // from where on a name holds what was read: loss = loss.item()
			for _, s := range p.Module.Sites {
				call := Call{s, p}
				if !around.Bounds().Contains(int(s.Node.Start)) || s.Func != l.Func {
					continue
				}
				read := false
				for _, value := range hostReads(call) {
					name := p.goneThrough(rootName(value), call)
					if from, is := onHost[name]; is && s.Node.Start > from {
						continue
					}
					read = read || results[name]
					if assign, ok := p.Module.StatementAt(s.Node.Start).(*pysrc.Assign); ok && assign.Value == pysrc.Expr(s.Node) &&
						pysrc.DottedName(assign.Targets[0]) == name {
						onHost[name] = assign.End
					}
				}
				if !read || p.Rare(call) != nil || p.EvaluationOnly(call) {
					continue
				}
				way, hot := p.Hot(call)
				if !hot && p.LoopAround(call) == around && !p.underTest(call) {
					way, hot = p.Hot(l.step)
				}
				if hot && !said[s] {
					said[s] = true
					r := p.Report(call, nearlyCertain*way.Sure).Because(way).Saying("%s waits for the device in every step", p.Short(call))
					p.keepJAXOnDevice(r, call, around)
					waits = append(waits, r)
				}
			}
			if slices.ContainsFunc(waits, func(r *Report) bool { return len(r.finding.Fixes) == 0 }) {
				for _, r := range waits {
					r.finding.Fixes = nil // one wait that stays costs as much as two
				}
			}
		}
	},
}

// goneThrough is the variable whose parts another goes through, in a comprehension or a loop around a node: metrics for v in
// {k: float(v) for k, v in metrics.items()}; the name itself for others.
func (p *SourcePass) goneThrough(name string, at Node) string {
	for _, clause := range p.comprehensionAround(at) {
		if storesName(clause.Target, name) {
			return partsOf(clause.Target, clause.Iter, name)
		}
	}
	for loop := p.LoopAround(at); loop != nil; loop = p.LoopAround(loop) {
		if f, ok := loop.(*pysrc.For); ok && storesName(f.Target, name) {
			return partsOf(f.Target, f.Iter, name)
		}
	}
	return name
}

// partsOf is the variable whose parts a loop's variable is, and not its number or key; otherwise the name of the variable.
func partsOf(target, iter pysrc.Expr, name string) string {
	from := rootName(iter)
	pair, _ := target.(*pysrc.Tuple)
	switch {
	case from == "" || from == "zip" || from == "enumerate" || from == "range", pair != nil && callsNamed(iter, "items") && isNamed(pair.Elts[0], name):
		return name
	}
	return from
}

// accumulatedIn is the loop around one that only gathers the gradients of a few batches, and otherwise the loop itself.
func (p *SourcePass) accumulatedIn(l jaxLoop) pysrc.Stmt {
	if inner, ok := l.Stmt.(*pysrc.For); ok {
		if n := p.turns(inner); n > 0 && n <= 64 {
			if outer := p.LoopAround(inner); outer != nil {
				return outer
			}
		}
	}
	return l.Stmt
}

// hostReads returns what a call reads to the host.
func hostReads(c Call) []pysrc.Expr {
	if slices.Contains(treeMaps, c.Name()) && len(c.Node.Args) == 2 && c.pass.readsToHost(c.Node.Args[0]) {
		return c.Node.Args[1:]
	}
	switch c.Name() {
	case "float", "int", "bool", "numpy.asarray", "numpy.array", "jax.device_get", "jax.block_until_ready":
		return c.Node.Args[:min(1, len(c.Node.Args))]
	case "print":
		var list []pysrc.Expr
		for _, a := range c.Node.Args {
			list = append(list, shownNames(a)...)
		}
		return list
	}
	switch c.Method() {
	case "item", "tolist", "block_until_ready":
		return []pysrc.Expr{c.Receiver()}
	case "add_scalar":
		if len(c.Node.Args) > 1 {
			return shownNames(c.Node.Args[1])
		}
	}
	return nil
}

// readsToHost reports a function that brings an array to the host: np.asarray, float, lambda x: x.item().
func (p *SourcePass) readsToHost(e pysrc.Expr) bool {
	switch p.NameOf(e) {
	case "float", "numpy.asarray", "numpy.array", "jax.device_get":
		return true
	}
	lambda, ok := e.(*pysrc.Lambda)
	if !ok {
		return false
	}
	body, ok := lambda.Body.(*pysrc.Call)
	return ok && (p.readsToHost(body.Func) || lastName(body.Func) == "item" && len(body.Args) == 0)
}

// shownNames returns the bare names that a printed expression shows: x of f"{x}", of x[0] and of "%s" % x.
func shownNames(e pysrc.Expr) []pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.Name:
		return []pysrc.Expr{x}
	case *pysrc.JoinedStr:
		var list []pysrc.Expr
		for _, v := range x.Values {
			list = append(list, shownNames(v)...)
		}
		return list
	case *pysrc.FormattedValue:
		return shownNames(x.Value)
	case *pysrc.BinOp:
		if x.Op == pysrc.Mod {
			return shownNames(x.Right)
		}
	case *pysrc.Subscript:
		return shownNames(x.Value)
	}
	return nil
}
