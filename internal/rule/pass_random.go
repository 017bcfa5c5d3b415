package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// RandomInto reports whether something random flows into the arguments of a call
// on the path of a sample, so that keeping its result would freeze an
// augmentation. It follows variables back through each function of the path.
func (p *SourcePass) RandomInto(path project.Path, call Call) bool {
	return path.Kind == project.Transform && p.drawsBeside(path.Root) || p.drawnInto(path, call)
}

// drawnInto is RandomInto without the transforms that may stand before this one.
func (p *SourcePass) drawnInto(path project.Path, call Call) bool {
	site, arguments := call.Site, argumentsOf(call.Node)
	for i := len(path.Calls); ; i-- {
		spans, names := madeOf(site, arguments)
		if namedRandom(site.Func.BaseName()) || p.drawsIn(site, spans) {
			return true
		}
		if i == 0 {
			return false
		}
		callee := site.Func
		site = path.Calls[i-1]
		arguments = passedFor(site.Node, callee, names)
	}
}

// drawsBeside reports another transform in the file of one that draws: in a chain
// of transforms it may come before.
func (p *SourcePass) drawsBeside(root *project.Function) bool {
	for _, fn := range root.Module.Functions {
		if fn == root || fn.Def == nil || len(fn.Def.Body) == 0 {
			continue
		}
		if path, ok := p.Project.PerSample(root.Module, fn.Def.Body[0]); ok && path.Kind == project.Transform &&
			path.Root == fn {
			if drawsAny(fn) {
				return true
			}
		}
	}
	return false
}

func argumentsOf(c *pysrc.Call) []pysrc.Expr {
	list := append([]pysrc.Expr(nil), c.Args...)
	for _, k := range c.Keywords {
		list = append(list, k.Value)
	}
	return list
}

// passedFor returns the arguments of a call that a function receives under one
// of the names; all of them where the call does not show which.
func passedFor(c *pysrc.Call, callee *project.Function, names map[string]bool) []pysrc.Expr {
	if args, kwargs := c.Unpacks(); args || kwargs || callee.Params() == nil {
		return argumentsOf(c)
	}
	params := callee.Params().All()
	if callee.Method() && len(params) > 0 {
		params = params[1:]
	}
	var list []pysrc.Expr
	for i, a := range c.Args {
		if i >= len(params) || names[params[i].Name] {
			list = append(list, a)
		}
	}
	for _, k := range c.Keywords {
		if names[k.Name] {
			list = append(list, k.Value)
		}
	}
	return list
}

// drawsIn reports a random call in one of the expressions of a call's function, where a run gets to.
func (p *SourcePass) drawsIn(s *project.Site, spans []pysrc.Span) bool {
	for _, other := range s.Func.Sites {
		if other == s {
			continue
		}
		for _, span := range spans {
			if span.Contains(int(other.Node.Start)) && draws(other, 0) && !(span == other.Node.Span && ordersOnly(other)) &&
				!p.switchedOffAt(other) {
				return true
			}
		}
	}
	return false
}

// switchedOffAt reports a call that a switch keeps from being reached: if self.augment, which nothing turns on.
func (p *SourcePass) switchedOffAt(s *project.Site) bool {
	there := p.In(s.Module())
	_, off := there.neverTaken(Call{s, there})
	return off
}

// ordersOnly reports a call of a generator of the project that shuffles what it gives, and draws nothing else.
func ordersOnly(s *project.Site) bool {
	fn := s.Calls.Func
	if fn == nil || !fn.IsGenerator() {
		return false
	}
	for _, inner := range fn.Sites {
		switch lastName(inner.Node.Func) {
		case "shuffle", "permutation", "randperm":
		default:
			if draws(inner, 1) {
				return false
			}
		}
	}
	return true
}

// madeOf returns the expressions that arguments of a call depend on in its
// function: themselves, what is assigned to the variables they read, and the
// tests that decide whether it is; and the names that all of them read.
func madeOf(s *project.Site, arguments []pysrc.Expr) (spans []pysrc.Span, names map[string]bool) {
	names = map[string]bool{}
	add := func(n pysrc.Node) {
		spans = append(spans, n.Bounds())
		pysrc.Inspect(n, func(x pysrc.Node) bool {
			if v, ok := x.(*pysrc.Name); ok && v.Ctx == pysrc.Load {
				names[v.ID] = true
			}
			return true
		})
	}
	for _, a := range arguments {
		add(a)
	}
	if s.Func.Def == nil {
		return spans, names
	}
	for known := -1; known != len(spans); {
		known = len(spans)
		seen := map[pysrc.Span]bool{}
		for _, span := range spans {
			seen[span] = true
		}
		pysrc.InspectPath(s.Func.Def, func(n pysrc.Node, path []pysrc.Node) bool {
			target, value := assigned(n)
			_, clause := n.(*pysrc.Comprehension) // which stands behind what it gives
			if value == nil || n.Bounds().Start > s.Node.End && !clause || seen[value.Bounds()] || !stores(target, names) || swaps(n) {
				return true
			}
			add(value)
			for _, around := range path {
				if test, ok := around.(*pysrc.If); ok && !seen[test.Test.Bounds()] {
					add(test.Test)
				}
			}
			return true
		})
	}
	return spans, names
}

// swaps reports a, b = b, a of elements: another order, of the same things.
func swaps(n pysrc.Node) bool {
	a, ok := n.(*pysrc.Assign)
	if !ok || len(a.Targets) != 1 {
		return false
	}
	targets, ok := a.Targets[0].(*pysrc.Tuple)
	values, both := a.Value.(*pysrc.Tuple)
	if !ok || !both || len(targets.Elts) != len(values.Elts) {
		return false
	}
	of := ""
	for _, x := range slices.Concat(targets.Elts, values.Elts) {
		element, ok := x.(*pysrc.Subscript)
		if !ok || pysrc.DottedName(element.Value) == "" || of != "" && of != pysrc.DottedName(element.Value) {
			return false
		}
		of = pysrc.DottedName(element.Value)
	}
	return true
}

// draws reports a random call, or one of a project function that draws.
func draws(s *project.Site, depth int) bool {
	if isRandom(s) {
		return true
	}
	if depth > 3 {
		return false
	}
	for _, v := range s.Possible() {
		if v.Func == nil {
			continue
		}
		for _, inner := range v.Func.Sites {
			if inner != s && draws(inner, depth+1) {
				return true
			}
		}
	}
	return false
}

// randomWords are parts of names that tell of augmentation.
var randomWords = []string{
	"augment", "augmentation", "augmentations", "augmenter", "augmentor", "perturb", "perturbation", "random",
	"randomly", "noise", "noisy",
	"jitter", "mixup", "specaugment", "specaug", "corrupt", "dropout", "crop", "reverb", "rir", "aug", "rand", "randint",
}

// isRandom reports a call that gives something else each time: of a generator
// of random numbers, of an augmentation library, or named after augmentation. A
// generator that the same function seeds gives the same each time.
func isRandom(s *project.Site) bool {
	name := s.Calls.Name
	switch {
	case strings.HasSuffix(name, "seed"), strings.HasSuffix(name, ".default_rng"), strings.HasSuffix(name, ".RandomState"), strings.HasSuffix(name, "random.Random"):
		return false
	case strings.HasPrefix(name, "random."), strings.Contains(name, ".random."), strings.HasPrefix(name, "torch.rand"),
		name == "torch.bernoulli", name == "torch.normal", name == "torch.multinomial":
		made := s.Calls.Made
		return made == nil || made.Func != s.Func || len(made.Node.Args) == 0
	}
	for _, library := range [...]string{
		"audiomentations.", "torch_audiomentations.", "albumentations.", "imgaug.",
		"nlpaug.", "pedalboard.",
	} {
		if strings.HasPrefix(name, library) {
			return true
		}
	}
	return namedRandom(lastName(s.Node.Func)) || namedRandom(project.LastOf(name))
}

// namedRandom reports a name that tells of augmentation: random_crop, and not center_crop.
func namedRandom(name string) bool {
	return project.HasWord(name, randomWords...) && !project.HasWord(name, "center", "centre")
}

// drawsAny reports a function that draws at random.
func drawsAny(fn *project.Function) bool {
	for _, s := range fn.Sites {
		if draws(s, 0) {
			return true
		}
	}
	return false
}
