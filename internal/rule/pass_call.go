package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// Call is a call in this module.
type Call struct {
	*project.Site
	pass *SourcePass
}

// CallsTo returns the calls of this module whose callee has one of the
// canonical names, in order of their place: torch.utils.data.DataLoader,
// gtts.gTTS.save (a method of an instance), boto3.client().get_object (a method
// of what a function returns). A name may end in .* and then stands for
// everything below it. Calls through aliases, partial and self.x are found.
func (p *SourcePass) CallsTo(names ...string) []Call {
	sites := p.sites()
	if len(sites.byName.last) == 0 {
		return nil
	}
	var list []Call
	for _, name := range names {
		if name[len(name)-1] != '*' && !sites.ends.MayHold(name) {
			continue
		}
		name = project.Canonical(name)
		prefix, below := strings.CutSuffix(name, ".*")
		if !below {
			list = p.calls(list, &sites.byName, name)
			continue
		}
		for _, callee := range sites.below(prefix) {
			list = p.calls(list, &sites.byName, callee)
		}
	}
	return inOrder(list)
}

// Constructions returns the calls that make an instance of one of the classes
// or of a class derived from one, in the project or in a library as far as known:
// transformers.TrainingArguments also gives Seq2SeqTrainingArguments.
func (p *SourcePass) Constructions(names ...string) []Call {
	var list []Call
	for _, name := range names {
		list = p.calls(list, &p.sites().byClass, project.Canonical(name))
		if name == loaderClass {
			for _, s := range p.handedLoaders() {
				list = append(list, Call{s, p})
			}
		}
	}
	return inOrder(list)
}

// MethodCalls returns the calls x.name(…), whatever x is.
func (p *SourcePass) MethodCalls(names ...string) []Call {
	var list []Call
	for _, name := range names {
		list = p.calls(list, &p.sites().byMethod, name)
	}
	return inOrder(list)
}

// Arg returns the argument of that parameter: by keyword, by position where the
// signature is known, from a dict that is unpacked, or bound by partial. It is Missing if it is not passed, and Unknown
// if an unpacked value may contain it.
func (c Call) Arg(name string) Value { return c.pass.eval.Argument(c.Site, name) }

// ArgAt returns the positional argument, from 0.
func (c Call) ArgAt(i int) Value { return c.pass.eval.ArgumentAt(c.Site, i) }

// Callee returns the node that names what is called: the place to point at.
func (c Call) Callee() pysrc.Node { return c.Node.Func }

// Receiver returns the x of x.name(…), and nil when the call has none.
func (c Call) Receiver() pysrc.Expr {
	if a, ok := c.Node.Func.(*pysrc.Attribute); ok {
		return a.Value
	}
	return nil
}

// Method returns the name of x.name(…), or nothing.
func (c Call) Method() string {
	if a, ok := c.Node.Func.(*pysrc.Attribute); ok {
		return a.Attr
	}
	return ""
}

// Result returns what the call gives.
func (c Call) Result() Value { return c.pass.Eval(c.Node) }

// callsNamed reports a call of a function or method of that name in an expression.
func callsNamed(e pysrc.Expr, name string) bool {
	found := false
	pysrc.Inspect(e, func(n pysrc.Node) bool {
		if c, ok := n.(*pysrc.Call); ok && lastName(c.Func) == name {
			found = true
		}
		return !found
	})
	return found
}

// isParameter reports an expression that is a parameter of the function as it was given.
func isParameter(fn *project.Function, e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	return ok && fn.HasParameter(name.ID)
}

// rootName is the first name of a dotted expression, a subscript or a call: batch of batch["x"][0].
func rootName(e pysrc.Expr) string {
	if n := project.RootName(e); n != nil {
		return n.ID
	}
	return ""
}
