package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// dataSet tells how surely a class is a dataset; 0 where it is not.
func (c *Class) dataSet() float64 {
	switch {
	case c.Derives("torch.utils.data.Dataset"):
		return Certain
	case (c.Methods["__getitem__"] != nil || c.Methods["__next__"] != nil) && c.Methods["__len__"] != nil &&
		(HasWord(c.Name, "dataset") || HasWord(c.LibraryBase(), "dataset")):
		return Likely
	}
	return 0
}

// findSamples finds the functions that data loading starts from, and what they reach.
func (p *Project) findSamples() {
	e := p.NewEval()
	defer e.Release()
	var roots []*visit
	var by *Site
	add := func(f *Function, kind RootKind, sure float64) {
		if f != nil {
			roots = append(roots, &visit{root: f, fn: f, kind: kind, sure: sure, by: by})
		}
	}
	addValue := func(v Value, kind RootKind, sure float64) {
		for _, w := range append([]Value{v}, v.Either...) {
			switch {
			case w.Kind == Callable && w.Func != nil:
				add(w.Func, kind, sure)
			case w.Kind == Instance && w.Class != nil:
				add(w.Class.Method("__call__"), kind, sure)
				if w.Class.Derives("torch.nn.Module") {
					add(w.Class.Method("forward"), kind, sure)
				}
			}
			for _, part := range e.partsOf(w) {
				for _, f := range part.functions() {
					add(f, kind, sure)
				}
			}
		}
	}
	for _, m := range p.Modules {
		for _, c := range m.Classes {
			if sure := c.dataSet(); sure > 0 {
				addDataSet(c, add, sure)
			}
			if HasWord(c.Name, collatorWords...) {
				add(c.Methods["__call__"], Collate, Likely)
			}
		}
		for _, f := range m.Functions {
			if strings.HasPrefix(f.BaseName(), "collate") || strings.HasSuffix(f.BaseName(), "collate_fn") {
				add(f, Collate, Likely)
			}
			if f.decorated("takes") && f.decorated("provides") || f.decorated("takes") && m.imports["speechbrain"] {
				add(f, Transform, Certain)
			}
		}
		for _, s := range m.Sites {
			by = handing(s)
			p.sampleSite(e, s, add, addValue)
		}
		by = nil
	}
	roots = slices.DeleteFunc(roots, func(v *visit) bool { // of a data set that nothing makes, whose helpers others use
		return v.root.Def != nil && p.Unused(v.root.Module, v.root.Def.Start)
	})
	sortVisits(roots)
	p.samples, p.moreSamples = make(map[*Function]*visit, len(roots)), map[*Function][]*visit{}
	loads := func(v *visit) bool { return v.kind == DataSet || v.kind == Collate }
	p.spread(p.samples, slices.DeleteFunc(slices.Clone(roots), func(v *visit) bool { return !loads(v) }), false)
	p.spread(p.samples, slices.DeleteFunc(roots, loads), false) // after those, whose paths say more
}

// findGenerators finds what training loops go over that is not a loader: a generator function, or an object of the
// project. It loads in the process that trains.
func (p *Project) findGenerators() {
	var roots []*visit
	p.eachIterated(func(e *Eval, _ *Loop, _ pysrc.Expr, v Value) {
		switch {
		case v.Kind != Instance:
		case v.Func != nil && v.Func.IsGenerator() && !p.leading[v.Func]:
			roots = append(roots, &visit{root: v.Func, fn: v.Func, kind: DataSet, sure: Likely})
		case v.Class != nil && !v.Class.Derives("torch.utils.data.DataLoader", "torch.nn.Module"):
			if next := e.takenBy(v, 0); next != nil && next.Class != v.Class && !p.leading[next] {
				roots = append(roots, &visit{root: next, fn: next, kind: DataSet, sure: Likely})
			}
			addDataSet(v.Class, func(f *Function, kind RootKind, sure float64) {
				if f != nil {
					roots = append(roots, &visit{root: f, fn: f, kind: kind, sure: sure})
				}
			}, Likely)
		}
	})
	sortVisits(roots)
	p.spread(p.samples, roots, false)
}

func addDataSet(c *Class, add func(*Function, RootKind, float64), sure float64) {
	for _, name := range [...]string{"__getitem__", "__getitems__", "__iter__", "__next__"} {
		add(c.Methods[name], DataSet, sure)
	}
	if c.Derives("torch_geometric.data.Dataset") && c.Methods["get"] != nil { // its own __getitem__ calls it
		add(c.Methods["get"], DataSet, sure)
	}
}

// handing is a call that hands a function to the samples of a dataset, or nil.
func handing(s *Site) *Site {
	switch s.Method() {
	case "map", "with_transform", "set_transform", "map_batches":
		return s
	}
	return nil
}

// sampleSite looks at one call for functions that it hands to data loading.
func (p *Project) sampleSite(e *Eval, s *Site, add func(*Function, RootKind, float64), addValue func(Value, RootKind, float64)) {
	call := s.Node
	if len(call.Args) == 0 && len(call.Keywords) == 0 {
		return
	}
	for _, k := range call.Keywords {
		switch k.Name {
		case "collate_fn", "data_collator", "wrapper_class":
			addValue(e.Of(s.Module(), k.Value), Collate, Certain)
		case "transform", "target_transform", "audio_transform", "text_transform", "transforms":
			addValue(e.Of(s.Module(), k.Value), Transform, Likely)
		case "dataset", "train_dataset":
			p.sampleClass(e.Of(s.Module(), k.Value), add)
		}
	}
	if s.Calls.Kind == Type && strings.HasPrefix(s.Calls.Name, "torchvision.datasets.") {
		for _, a := range call.Args { // ImageFolder(root, transform)
			addValue(e.Of(s.Module(), a), Transform, Likely)
		}
		return
	}
	if s.Calls.Kind == Type && s.Calls.IsClass("torch.utils.data.DataLoader") {
		addValue(e.Argument(s, "collate_fn"), Collate, Certain)
		p.sampleClass(e.Argument(s, "dataset"), add)
		return
	}
	switch method := s.Method(); {
	case method == "map" || method == "filter" || method == "with_transform" || method == "set_transform" || method == "map_batches" || p.pipes[method]:
		fn := e.Handed(s)
		if fn.Kind != Callable && fn.Kind != Instance {
			return
		}
		kind, sure := p.mapKind(e, s, method)
		if sure > 0 {
			addValue(fn, kind, sure)
		}
	}
}

// Handed is the function that a call of map or set_transform hands to a dataset.
func (e *Eval) Handed(s *Site) Value {
	call := s.Node
	for _, name := range [...]string{"function", "transform"} {
		if k := call.Keyword(name); k != nil {
			return e.Of(s.Module(), k.Value)
		}
	}
	if len(call.Args) > 0 {
		return e.Of(s.Module(), call.Args[0])
	}
	return Value{}
}

// sampleClass takes a class that is used as a dataset though it derives from none.
func (p *Project) sampleClass(v Value, add func(*Function, RootKind, float64)) {
	for _, w := range append([]Value{v}, v.Either...) {
		if w.Kind == Instance && w.Class != nil {
			w.Class.each(func(c *Class) bool {
				addDataSet(c, add, Certain)
				return true
			})
		}
	}
}

// mapKind classifies x.map(fn) by the type of x: a dataset's map runs once and caches its result, a stream's runs in
// every epoch, a pool's is irrelevant here.
func (p *Project) mapKind(e *Eval, s *Site, method string) (RootKind, float64) {
	receiver := e.Of(s.Module(), s.Node.Func.(*pysrc.Attribute).Value)
	if strings.HasSuffix(method, "_transform") || p.pipes[method] || receiver.anyPipe() {
		return Transform, Certain
	}
	switch {
	case receiver.Kind == Instance && strings.HasPrefix(receiver.Name, "datasets."):
		if made := receiver.Made; made != nil && e.Argument(made, "streaming").IsTrue() {
			return Transform, Certain
		}
		return Mapped, Certain
	case receiver.Kind == Instance && (strings.HasPrefix(receiver.Name, "webdataset.") ||
		strings.HasPrefix(receiver.Name, "tensorflow.data.") || strings.HasPrefix(receiver.Name, "torch")):
		return Transform, Likely
	case receiver.Kind != Unknown:
		return Mapped, 0
	}
	if s.Module().imports["datasets"] {
		return Mapped, Likely
	}
	return Mapped, 0
}
