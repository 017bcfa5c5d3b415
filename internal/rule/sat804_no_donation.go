package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noDonation finds training steps of JAX that keep the old state beside the new.
var noDonation = Rule{
	Code: "SAT804", Name: "no-donation", Severity: Advice, Subject: AboutMemory, General: true,
	Areas: []Area{HostArea},
	Title: "the old state stays in memory while the new one is computed",
	What: "A jitted step that takes and returns parameters or a train state, called as state = step(state, …) " +
		"or state = state.step(…) in a training loop, without donate_argnums or donate_argnames.",
	Why: "Without donation, XLA writes the new state into new buffers next to the old ones. Donated buffers are " +
		"updated in place, which halves the memory of the state.",
	Fine: "The old state is still needed: for a moving average, a retry or a comparison.",
	Advice: "Pass donate_argnums for the arguments that the step returns updated, and do not use the old values " +
		"afterwards.",
	Bad:    "step = jax.jit(train_step)\nfor batch in batches:\n    state, loss = step(state, batch)",
	Good:   "step = jax.jit(train_step, donate_argnums=(0,))\nfor batch in batches:\n    state, loss = step(state, batch)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, l := range p.JAXLoops() {
			if p.NearSays("donate") {
				continue
			}
			said := map[*project.Function]bool{}
			for _, u := range p.updates(l) {
				fn := p.calledFunction(u.call.Func)
				if fn == nil || said[fn] {
					continue
				}
				said[fn] = true
				p.reportUndonated(fn, u)
			}
		}
	},
}

// reportUndonated reports the jit, a call or a decorator, of a function that takes the state without its memory.
func (p *SourcePass) reportUndonated(fn *project.Function, u stateUpdate) {
	if jit := p.jitOf(fn); jit != nil {
		donate := jit.Arg("donate_argnums")
		p.Report(jit.Node, likely).Because(u.call).Fix(Unsafe, "update the state in place", donate.SetTo("("+itoa(u.at)+",)"))
	} else if fn.Module == p.Module {
		for _, d := range fn.Decorators() {
			if p.isJit(p.Module, d) && !callsNamed(d, "filter_jit") {
				p.donate(p.Report(d, likely).Because(u.call), d, u.call, u.at)
			}
		}
	}
}

// donate has a decorator donate the state: @jax.jit becomes a partial of it, and one with arguments gets one more. A method
// is left alone: it donates its object, whose parts other objects may share.
func (p *SourcePass) donate(r *Report, decorator pysrc.Expr, call *pysrc.Call, at int) {
	if _, isFunction := call.Func.(*pysrc.Name); !isFunction {
		return
	}
	argument, title := "donate_argnums=("+itoa(at)+",)", "update the state in place"
	if with, ok := decorator.(*pysrc.Call); ok {
		jit := with.Func
		if lastName(jit) == "partial" {
			jit = with.Args[0]
		}
		if last := lastArgument(with); last != nil && p.isPlainJit(jit) {
			r.Fix(Unsafe, title, p.InsertAfter(last, ", "+argument))
		}
		return
	}
	if !p.isPlainJit(decorator) {
		return
	}
	partial, edits := p.Import("functools.partial")
	r.Fix(Unsafe, title, append(edits, p.Replace(decorator, partial+"("+p.Text(decorator)+", "+argument+")"))...)
}

// isPlainJit reports the functions of JAX that take donate_argnums.
func (p *SourcePass) isPlainJit(e pysrc.Expr) bool {
	name := p.NameOf(e)
	return name == "jax.jit" || name == "jax.pmap"
}

// lastArgument is where a call's arguments end, or nil if it has none.
func lastArgument(c *pysrc.Call) (last pysrc.Node) {
	for _, a := range c.Args {
		last = a
	}
	for _, k := range c.Keywords {
		if last == nil || k.Value.Bounds().End > last.Bounds().End {
			last = k.Value
		}
	}
	return last
}

func itoa(i int) string { return string(rune('0' + i)) }

// stateUpdate is a call that is given a state, or is a method of it, and assigns the new one to the same name; at is
// which argument that is.
type stateUpdate struct {
	call *pysrc.Call
	at   int
}

// updates returns the calls of a loop that update a state: one mostly, two where a generator and a critic take turns.
func (p *SourcePass) updates(l jaxLoop) (list []stateUpdate) {
	look := func(n pysrc.Node) {
		if a, ok := n.(*pysrc.Assign); ok && len(a.Targets) == 1 {
			if call, at := p.updatesIn(a, l); call != nil {
				list = append(list, stateUpdate{call, at})
			}
		}
	}
	for _, s := range l.Body() {
		look(s)
	}
	if len(list) > 0 || p.learnsByActing() { // small networks, of which two copies fit
		return list
	}
	p.Inspect(l.Stmt, func(n pysrc.Node) bool {
		if _, inner := n.(*pysrc.FunctionDef); inner || len(list) > 0 {
			return false
		}
		look(n)
		return len(list) == 0
	})
	return list
}

// updatesIn is updates for one statement of the loop, which may stand deeper in it: in a with, in a loop over parts of a batch.
func (p *SourcePass) updatesIn(a *pysrc.Assign, l jaxLoop) (call *pysrc.Call, at int) {
	c, ok := a.Value.(*pysrc.Call)
	if !ok || !p.stepsWith(c, l) {
		return nil, 0
	}
	if method, ok := c.Func.(*pysrc.Attribute); ok { // agent, info = agent.update(batch)
		name, ok := method.Value.(*pysrc.Name)
		if ok && storesName(a.Targets[0], name.ID) && p.jitDecorated(p.calledFunction(c.Func)) && !readElsewhere(l, c, name.ID) {
			return c, 0
		}
	}
	for i, arg := range c.Args {
		name, ok := arg.(*pysrc.Name)
		if ok && i < 4 && storesName(a.Targets[0], name.ID) &&
			project.HasWord(name.ID, stateWords...) && !readElsewhere(l, c, name.ID) {
			return c, i
		}
	}
	return nil, 0
}

// readElsewhere reports a state that something else holds on to: best = state, before the loop or in it, or
// kept.append(state). What is donated is deleted, under every name.
func readElsewhere(l jaxLoop, step *pysrc.Call, name string) bool {
	held := func(e pysrc.Node) bool {
		found := false
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.Call:
				return false // makes something new of it
			case *pysrc.Name:
				found = found || n.ID == name
			}
			return !found
		})
		return found
	}
	body := pysrc.Node(l.Module.File.Module)
	if l.Func.Def != nil {
		body = l.Func.Def
	}
	found := false
	pysrc.Inspect(body, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.FunctionDef:
			// whose own it is
			return n == l.Func.Def || !slices.ContainsFunc(n.Args.All(), func(a *pysrc.Arg) bool { return a.Name == name })
		case *pysrc.Assign:
			found = found || n.Value != pysrc.Expr(step) && held(n.Value)
		case *pysrc.Call:
			switch lastName(n.Func) {
			case "append", "put", "save", "setdefault", "copy_to_host_async":
				found = found || slices.ContainsFunc(n.Args, func(a pysrc.Expr) bool { return held(a) })
			}
		}
		return !found
	})
	return found
}
