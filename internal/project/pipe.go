package project

import (
	"slices"

	"saturate/internal/pysrc"
)

// Pipes of data are streams of torch whose methods each give the next one: Source(files).map(decode).shuffle().

// isPipe reports such a pipe, of a class of the project.
func (v *Value) isPipe() bool {
	return v.Kind == Instance && v.Class != nil && v.Class.Derives("torch.utils.data.IterDataPipe", "torch.utils.data.MapDataPipe")
}

// anyPipe reports a value that may be one.
func (v *Value) anyPipe() bool {
	return v.isPipe() || slices.ContainsFunc(v.Either, func(w Value) bool { return w.isPipe() })
}

// findPipes finds the names of methods that classes of the project add to pipes of data, which get a function for each sample:
// @functional_datapipe("decode").
func (p *Project) findPipes() {
	p.pipes = map[string]bool{}
	for _, m := range p.Modules {
		if !m.Says("functional_datapipe") {
			continue
		}
		for _, c := range m.Classes {
			for _, d := range c.Def.Decorators {
				if call, ok := d.(*pysrc.Call); ok && lastName(call.Func) == "functional_datapipe" {
					if name, ok := firstString(call); ok {
						p.pipes[name] = true
					}
				}
			}
		}
	}
}

// piped is what a method of a pipe gives: a pipe that goes on from it.
func (e *Eval) piped(x *pysrc.Call, sc *Scope) Value {
	a, ok := x.Func.(*pysrc.Attribute)
	if !ok || !e.p.pipes[a.Attr] && !pipeMethods[a.Attr] {
		return Value{}
	}
	if of := e.expr(a.Value, sc); of.anyPipe() {
		return of.lessSure(Likely)
	}
	return Value{}
}

// pipeMethods are the methods that torch gives every pipe.
var pipeMethods = setOf("map", "filter", "shuffle", "batch", "unbatch", "sharding_filter", "concat", "zip", "mux", "groupby", "collate")
