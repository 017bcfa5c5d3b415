package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// tokenizePerSample finds texts that are tokenised one by one while the data is
// loaded. It also tells where tokenisation runs when that is fine.
var tokenizePerSample = Rule{
	Code: "SAT111", Name: "tokenize-per-sample", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "texts are tokenized one by one in every epoch",
	What: "The __getitem__ of a dataset tokenizes one text, or a collate function tokenizes its samples in a loop, or " +
		"a stream of samples tokenizes a buffer of texts at a time; or a collate function or transform tokenizes long texts, " +
		"with a slow tokenizer or without workers; or the project's own Python code splits each text and " +
		"looks up its pieces one by one. Also a training step or a model that calls the tokenizer.",
	Why: "A fast (Rust) tokenizer processes many texts in parallel, and the tokens are the same in every epoch.",
	Fine: "Texts that change randomly in every epoch. Prompts made during training. A few short texts next to " +
		"seconds of GPU work, or next to an image or a sound that the same sample decodes.",
	Advice: "Tokenize once, with dataset.map(batched=True) or for the whole list when the dataset is built. Or " +
		"pass the texts to the collate function and call the tokenizer once per batch.",
	Gain: Range{1, 1.1, "tokenizing is 3 to 5 times faster in batches (huggingface/trl#1624); training gains in proportion to its share"},
	Bad:  "def __getitem__(self, i):\n    return self.tokenizer(self.texts[i]).input_ids",
	Good: "def __init__(self, texts, tokenizer):\n    self.ids = tokenizer(texts).input_ids\n\ndef " +
		"__getitem__(self, i):\n    return self.ids[i]",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		said, seen := map[*project.Function]*Report{}, map[*project.Function]bool{}
		for _, t := range p.Tokenisations() {
			if p.EvaluationOnly(t) {
				continue
			}
			if r := said[t.Func]; r != nil {
				r.Too(p.At(t, "and here"))
				continue
			}
			if !seen[t.Func] {
				seen[t.Func] = true
				p.observeTokenisation(t)
			}
			path, every := p.EverySample(t)
			little := ""
			if every {
				little = p.littleTokens(path, t)
			}
			drawn := every && p.RandomInto(path, t.Call)
			if every && path.Kind != project.Mapped && p.singly(t, path) && (!drawn || p.picksStored(t, path)) {
				r := p.Report(t, t.sure*path.Sure).Because(path)
				said[t.Func] = r.beingLittle(little)
				if drawn {
					r.Advising("Tokenize each of the texts once, when the dataset is built, and pick among the ids.")
					continue
				}
				p.tokeniseOnce(r, t)
			} else if every && (path.Kind == project.Collate || path.Kind == project.Transform) && p.costly(t) && !drawn {
				said[t.Func] = p.Report(t, probable*t.sure*path.Sure).Because(path).Because(p.handedAs(path)...).Saying("the same texts are tokenized again in every epoch").
					Advising("Tokenize once before training, with dataset.map(batched=True), and let the collate function only pad the ids.").beingLittle(little)
			} else if every && path.Kind != project.Mapped && path.Root != nil && (path.Root.BaseName() == "__iter__" || path.Root.IsGenerator()) && t.many() && p.LoopAround(t) != nil {
				said[t.Func] = p.Report(t, probable*t.sure*path.Sure).Because(path).
					Saying("texts are tokenized while training waits for them, in every epoch").
					Advising("Tokenize once before training, with dataset.map(batched=True, num_proc=…), and keep the ids, packed to the length of a sample.").beingLittle(little)
			} else if way, step := p.EachStep(t); step && !p.generated(way, t) {
				said[t.Func] = p.Report(t, likely*t.sure*way.Sure).Because(way).
					Saying("texts are tokenized in every step, while the GPU waits").
					Advising("Tokenize in the workers of the loader, or once before training, and give the model ids.")
			}
		}
		reported := map[*project.Function]bool{} // one finding for what a data set does to its texts
		for _, place := range p.textWork() {
			path, every := p.EverySample(place)
			how := "in every epoch"
			if !every {
				path, every = p.fetchedInStep(place)
				how = "in every step"
			}
			if !every || path.Kind == project.Mapped || path.Root == nil || reported[path.Root] || said[path.Root] != nil {
				continue
			}
			reported[path.Root] = true
			r := p.Report(place, likely*path.Sure).Because(path).Because(p.otherUsers(place, path)...).
				Saying("Python splits each text and looks up its pieces %s", how).
				Advising("Turn the texts into ids once, when the dataset is built, and keep the ids.").
				beingLittle(p.besideSlowStep())
			if p.decodesIn(path.Root) {
				r.Small(besideDecoding)
			}
		}
	},
}

// generated reports a text that the step itself has made before: decoded, or written by a model.
func (p *SourcePass) generated(way project.Path, t tokenisation) bool {
	before := func(at *project.Site) bool {
		return slices.ContainsFunc(at.Func.Sites, func(s *project.Site) bool {
			switch lastName(s.Node.Func) {
			case "generate", "batch_decode", "decode":
				return s.Node.Start < at.Node.Start
			}
			return false
		})
	}
	return before(t.Site) || slices.ContainsFunc(way.Calls, before)
}

// costly reports texts whose tokens take a while: long ones, a tokenizer in Python, or no worker that does it meanwhile.
func (p *SourcePass) costly(t tokenisation) bool {
	if n, known := t.Arg("max_length").Int(); known && n >= 512 || t.fast() == "a slow Python tokenizer" {
		return true
	}
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return slices.ContainsFunc(p.In(m).TrainingLoaders(), func(loader Call) bool {
			workers := loader.Arg("num_workers")
			return workers.Missing() || workers.Equals(0)
		})
	})
}

// handedAs are the calls that make a function the transform of a dataset: dataset.with_transform(encode).
func (p *SourcePass) handedAs(path project.Path) (list []any) {
	if path.Kind != project.Transform || path.Root == nil {
		return nil
	}
	in := p.In(path.Root.Module)
	for _, c := range in.MethodCalls("with_transform", "set_transform") {
		if p.eval.Handed(c.Site).Func == path.Root {
			list = append(list, in.At(c, "made a transform here"))
		}
	}
	return list
}

// picksStored reports a text that is picked at random from those which the dataset holds: each can be tokenized before. The
// dataset may hand it to a function on the way to the tokenizer.
func (p *SourcePass) picksStored(t tokenisation, path project.Path) bool {
	in, text := p, firstArg(t.Node)
	for calls := len(path.Calls); text != nil; calls-- {
		text = in.onceSaid(text)
		if from := in.pickedFrom(text); from != nil {
			return in.heldByDataset(from, 0)
		}
		name, ok := text.(*pysrc.Name)
		if !ok || calls == 0 || !in.Function(name).HasParameter(name.ID) {
			return false
		}
		site := path.Calls[calls-1]
		in, text = p.In(site.Module()), site.Given(in.Function(name), name.ID)
	}
	return false
}

// pickedFrom is the list of which an expression picks one: random.choice(texts), texts[random.randrange(n)], texts[j]; or nil.
func (p *SourcePass) pickedFrom(e pysrc.Expr) pysrc.Expr {
	switch x := e.(type) {
	case *pysrc.Call:
		if site := p.Module.SiteAt(x); site != nil && len(x.Args) == 1 && lastName(x.Func) == "choice" && isRandom(site) {
			return x.Args[0]
		}
	case *pysrc.Subscript:
		if _, part := x.Slice.(*pysrc.Slice); !part {
			return x.Value
		}
	}
	return nil
}

// heldByDataset reports a field of the object, or a part of one: self.texts, row["texts"] of row = self.rows[i].
func (p *SourcePass) heldByDataset(e pysrc.Expr, depth int) bool {
	if depth > 6 {
		return false
	}
	if project.FieldOfSelf(e) != "" {
		return true
	}
	switch x := e.(type) {
	case *pysrc.Subscript:
		return p.heldByDataset(x.Value, depth+1)
	case *pysrc.Attribute:
		return p.heldByDataset(x.Value, depth+1)
	case *pysrc.Name:
		said := p.onceSaid(x)
		return said != pysrc.Expr(x) && p.heldByDataset(said, depth+1)
	}
	return false
}

// otherUsers are the calls beside those of a path that lead to the function of a place for every sample: other datasets.
func (p *SourcePass) otherUsers(place Node, path project.Path) (list []any) {
	seen := map[*project.Function]bool{}
	var climb func(fn *project.Function, depth int)
	climb = func(fn *project.Function, depth int) {
		if seen[fn] || depth > 3 {
			return
		}
		seen[fn] = true
		for _, s := range p.Project.Callers(fn) {
			in := p.In(s.Module())
			if in.Module == p.Module {
				climb(s.Func, depth+1)
			} else if _, every := in.EverySample(s); every && !slices.Contains(path.Calls, s) {
				list = append(list, in.At(s.Node, "called here, too"))
			}
		}
	}
	climb(p.Function(place), 0)
	return list
}
