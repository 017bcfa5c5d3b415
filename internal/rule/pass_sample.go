package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// InstanceCalls returns the calls x(…) of an object x of one of the classes, or
// of a class derived from one: self.extractor(audio).
func (p *SourcePass) InstanceCalls(names ...string) []Call {
	var list []Call
	for _, s := range p.Module.Sites {
		for _, v := range s.Possible() {
			if v.Kind == project.Instance && v.IsInstance(names...) {
				list = append(list, Call{s, p})
				break
			}
		}
	}
	return list
}

// EverySample tells whether the node runs for every sample in every epoch of
// training: PerSample, without what is kept after the first time, what a map
// over the data set runs once, and what serves evaluation alone.
func (p *SourcePass) EverySample(n Node) (project.Path, bool) {
	path, ok := p.PerSample(n)
	if !ok || !path.EveryEpoch() || p.EvaluationOnly(n) || p.servesEvaluation(path) {
		return project.Path{}, false
	}
	return path, p.runsPerSample(path, n)
}

// servesEvaluation reports a path whose root is a data set or function that is
// named after evaluation, in a file of its own perhaps.
func (p *SourcePass) servesEvaluation(path project.Path) bool {
	return path.Root != nil && p.Project.EvaluationOnly(path.Root.Module, path.Root)
}

// runsPerSample leaves out what an __iter__ does before its loop: once per
// epoch, not once per sample.
func (p *SourcePass) runsPerSample(path project.Path, n Node) bool {
	if path.Root == nil || path.Root.BaseName() != "__iter__" && !path.Root.IsGenerator() {
		return true
	}
	if len(path.Calls) == 0 {
		return p.LoopAround(n) != nil
	}
	for _, s := range path.Calls {
		if s.Module().LoopAround(s) != nil {
			return true
		}
	}
	return p.LoopAround(n) != nil
}

// RandomBefore tells whether something random happens to a sample on its way to
// the node, so that keeping the node's result would freeze an augmentation.
func (p *SourcePass) RandomBefore(path project.Path, n Node) bool {
	fn := path.Root
	for _, s := range path.Calls {
		if drawsBefore(fn, s.Node.End, 0) {
			return true
		}
		fn = s.Func
		if drawsBefore(fn, s.Node.End, 0) {
			return true
		}
	}
	return drawsBefore(p.Function(n), n.Bounds().End, 0)
}

// drawsBefore reports a random call of a function before an offset, in what it
// calls too.
func drawsBefore(f *project.Function, limit int32, depth int) bool {
	if f == nil || depth > 3 {
		return false
	}
	for _, s := range f.Sites {
		if s.Node.Start >= limit && limit > 0 {
			break
		}
		if isRandom(s) {
			return true
		}
		for _, v := range s.Possible() {
			if v.Func != nil && v.Func != f && drawsBefore(v.Func, 0, depth+1) {
				return true
			}
		}
	}
	return false
}

// randomWords are parts of names that tell of augmentation.
var randomWords = []string{
	"augment", "augmentation", "augmentations", "augmenter", "perturb", "perturbation", "random", "randomly", "noise", "noisy",
	"jitter", "mixup", "specaugment", "specaug", "corrupt", "dropout", "crop", "reverb", "rir", "aug",
}

func isRandom(s *project.Site) bool {
	name := s.Calls.Name
	switch {
	case strings.HasPrefix(name, "random."), strings.Contains(name, ".random."), strings.HasPrefix(name, "torch.rand"),
		name == "torch.bernoulli", name == "torch.normal", name == "torch.multinomial":
		return !strings.HasSuffix(name, "seed") && !strings.HasSuffix(name, "default_rng") && !strings.HasSuffix(name, "RandomState")
	}
	for _, library := range [...]string{"audiomentations.", "torch_audiomentations.", "albumentations.", "imgaug.", "nlpaug.", "pedalboard."} {
		if strings.HasPrefix(name, library) {
			return true
		}
	}
	return hasAnyWord(lastName(s.Node.Func), randomWords...) || hasAnyWord(name[strings.LastIndexByte(name, '.')+1:], randomWords...)
}

// lastName is the last part of a dotted name: encode of self.tokenizer.encode.
func lastName(e pysrc.Expr) string {
	switch e := e.(type) {
	case *pysrc.Name:
		return e.ID
	case *pysrc.Attribute:
		return e.Attr
	case *pysrc.Call:
		return lastName(e.Func)
	}
	return ""
}

// hasAnyWord reports whether a name in snake_case or CamelCase has one of the words.
func hasAnyWord(name string, words ...string) bool {
	start := 0
	check := func(end int) bool {
		part := strings.ToLower(name[start:end])
		for _, w := range words {
			if part == w {
				return true
			}
		}
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9':
			if check(i) {
				return true
			}
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			if check(i) {
				return true
			}
			start = i
		}
	}
	return check(len(name))
}
