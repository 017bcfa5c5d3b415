package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// datasetMap is a call dataset.map(function) of the datasets library.
type datasetMap struct {
	Call
	function *project.Function // of the project
	sure     float64
}

// Maps returns the calls of this module that map a function of the project over
// a dataset of the datasets library.
func (p *SourcePass) Maps() []datasetMap {
	var list []datasetMap
	for _, c := range p.MethodCalls("map") {
		sure := p.isDataSet(c.Receiver())
		if sure == 0 {
			continue
		}
		fn := c.ArgAt(0)
		if k := c.Node.Keyword("function"); k != nil {
			fn = p.Eval(k.Value)
		}
		called := fn.Func
		if fn.Kind == project.Instance && fn.Class != nil { // data.map(Encoder(tokenizer))
			called = fn.Class.Method("__call__")
		} else if fn.Kind != project.Callable {
			called = nil
		}
		if called != nil {
			list = append(list, datasetMap{c, called, sure})
		}
	}
	return list
}

// splitting are methods of a dataset that give a dataset, or several.
var splitting = setOfNames("shuffle", "select", "filter", "map", "train_test_split", "shard", "cast_column", "rename_column",
	"remove_columns", "take", "skip", "sort")

// splitFrom is the dataset that a method gives a part of: data of data.shuffle(); nil for anything else.
func splitFrom(e pysrc.Expr) pysrc.Expr {
	if c, ok := e.(*pysrc.Call); ok && splitting[lastName(c.Func)] {
		if method, ok := c.Func.(*pysrc.Attribute); ok {
			return method.Value
		}
	}
	return nil
}

// isDataSet is the confidence that an expression is a dataset of the datasets library.
func (p *SourcePass) isDataSet(e pysrc.Expr) float64 {
	v, written := p.Eval(e), e
	for i := 0; v.Kind == project.Unknown && i < 8; i++ { // a split, or what is made of one: data["train"].shuffle()
		if s, ok := e.(*pysrc.Subscript); ok {
			e = s.Value
		} else if from := splitFrom(e); from != nil {
			e = from
		} else if said := p.saidBy(e); said != nil {
			e = said
		} else {
			break
		}
		v = p.Eval(e)
	}
	e = written
	switch {
	case v.Kind == project.Instance && strings.HasPrefix(v.Name, "datasets."):
		return v.Sure
	case v.Kind != project.Unknown || !p.Imports("datasets"):
		return 0
	}
	name := lastName(e)
	if s, ok := e.(*pysrc.Subscript); ok {
		name = lastName(s.Value) // raw_datasets["train"]
	}
	if project.HasWord(name, dataSetWords...) {
		return likely
	}
	return 0
}

// inProcesses reports whether a map runs in several processes, or may: an option decides.
func inProcesses(workers Value) bool {
	return !workers.Missing() && !(workers.Origin.How == project.InPlace && (workers.IsNone() || workers.Equals(1)))
}

// saidBy is the value of a variable that is set once, to a part of something or to what a call gives; nil for any other.
func (p *SourcePass) saidBy(e pysrc.Expr) pysrc.Expr {
	name, ok := e.(*pysrc.Name)
	if !ok {
		return nil
	}
	switch said := p.Module.SaidOnce(name).(type) {
	case *pysrc.Subscript:
		return said
	case *pysrc.Call:
		return said
	}
	return nil
}
