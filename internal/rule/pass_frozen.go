package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// frozenEncoders reports pretrained models that stay as they are and that a step runs on what the dataset gives, where nothing
// changes a sample from one epoch to the next.
func (p *SourcePass) frozenEncoders() {
	if !p.runsOnGPU() || p.jaxOnly() || p.Module.Role == project.Test {
		return
	}
	said := map[*project.Function]bool{}
	for _, s := range p.Module.Sites {
		if !p.mayStep(s) {
			continue
		}
		model := p.pretrainedRun(s)
		if model == nil {
			model = p.pretrainedGiven(s)
		}
		own := false
		if model == nil {
			model, own = p.frozenRun(s), true
		}
		if model == nil {
			model = p.evaluatedRun(s)
		}
		if said[s.Func] || model == nil || p.severalGiven(s) || p.Rare(s) != nil || !own && !p.staysFrozen(s, *model) {
			continue
		}
		way, hot := p.Hot(s)
		if !hot || p.rareOnTheWay(way) || way.Root == nil || !p.takesBatch(s) {
			continue
		}
		said[s.Func] = true
		if p.randomSamples(takesText(s, *model)) {
			p.Report(s, probable*p.GPU()*way.Sure).At(Advice).Because(way).
				Saying("a frozen model runs on each sample in every epoch: %s", p.Short(Call{s, p}.Callee())).
				Advising("Where samples are not changed at random, or in a few ways only, run it once over the dataset before training.").
				Small("samples may differ from one epoch to the next")
			continue
		}
		p.Report(s, probable*p.GPU()*way.Sure).At(Advice).Because(way).
			Saying("a frozen model computes the same for each sample in every epoch: %s", p.Short(Call{s, p}.Callee())).
			Advising("Run it once over the dataset before training, and let the dataset give what it returned.")
	}
}

// pretrainedRun is the pretrained model of a library that a call runs: encoder(x), vae.encode(x), clip.get_text_features(x);
// nil for any other call.
func (p *SourcePass) pretrainedRun(s *project.Site) *Value {
	v := s.Calls
	if f, ok := s.Node.Func.(*pysrc.Attribute); ok && v.Kind != project.Instance && encodes[f.Attr] {
		found := p.Eval(f.Value)
		v = &found
	}
	part := v.Kind == project.Callable && strings.HasSuffix(v.Name, "().features") // of a network of torchvision
	if v.Kind != project.Instance && !part || v.Made == nil || ofLibrary(*v) || len(s.Node.Args)+len(s.Node.Keywords) == 0 {
		return nil
	}
	name, made := strings.TrimSuffix(v.Name, "()"), v.Made.Name()
	switch {
	case strings.HasSuffix(name, "Extractor"), strings.HasSuffix(name, "Processor"):
	case v.Made.Method() == "from_pretrained" && name == v.Name:
		if strings.HasPrefix(name, "transformers.") || strings.HasPrefix(name, "diffusers.") && !strings.HasSuffix(name, "Pipeline") {
			return v
		}
	case strings.HasPrefix(made, "torchvision.models."), made == "timm.create_model", made == "torch.hub.load", made == "whisper.load_model",
		made == "clip.load", strings.HasPrefix(made, "sentence_transformers."), strings.HasPrefix(made, "torchaudio.pipelines."):
		return v
	}
	return nil
}

// pretrainedGiven is the pretrained model that a call hands to a function of the project which runs it, under no_grad:
// forward(teacher, batch); nil for any other call.
func (p *SourcePass) pretrainedGiven(s *project.Site) *Value {
	fn := s.Calls.Func
	if fn == nil || fn.Def == nil || fn.Class != nil || len(s.Node.Args) < 2 || !p.Under(s, "torch.no_grad", "torch.inference_mode") {
		return nil
	}
	for _, a := range s.Node.Args {
		name, ok := a.(*pysrc.Name)
		if !ok {
			continue
		}
		v := p.Eval(name)
		part := v.Kind == project.Callable && strings.HasSuffix(v.Name, "().features") // of a network of torchvision
		if v.Kind != project.Instance && !part || v.Made == nil || v.Made.Method() != "from_pretrained" || !strings.HasPrefix(v.Name, "transformers.") ||
			ofLibrary(v) {
			continue
		}
		runs := slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool {
			callee, ok := inner.Node.Func.(*pysrc.Name)
			return ok && fn.HasParameter(callee.ID) && s.Given(fn, callee.ID) == a
		})
		if runs {
			return &v
		}
	}
	return nil
}

// severalGiven reports a call of a parameter for which several calls of its function give models, perhaps a trained one among them.
func (p *SourcePass) severalGiven(s *project.Site) bool {
	name, ok := s.Node.Func.(*pysrc.Name)
	return ok && s.Func.HasParameter(name.ID) && len(p.Project.Callers(s.Func)) > 1
}

// encodes are the methods of pretrained models that compute features.
var encodes = setOfNames("encode", "forward", "extract_features", "forward_features", "get_text_features", "get_image_features",
	"get_audio_features", "encode_text", "encode_image", "embed_audio")

// staysFrozen reports a model that no step changes: its call is without gradients, its weights take none, or no optimizer
// gets them.
func (p *SourcePass) staysFrozen(s *project.Site, model Value) bool {
	if p.Under(s, "torch.no_grad", "torch.inference_mode") || p.madeFrozen(model) || p.untrained(s) {
		return true
	}
	name := pysrc.DottedName(s.Node.Func)
	return name != "" && p.keptFrozen(s, name)
}

// takesText reports a call that gives tokens to a model of texts, which no change of images or sounds reaches.
func takesText(s *project.Site, model Value) bool {
	tokens := s.Node.Keyword("input_ids") != nil || s.Node.Keyword("attention_mask") != nil
	return tokens && strings.HasPrefix(model.Name, "transformers.") &&
		!slices.ContainsFunc(ofSounds, func(part string) bool { return strings.Contains(model.Name, part) })
}

// ofSounds are parts of the names of transformers' models that take a mask, too, but for sounds.
var ofSounds = []string{"Wav", "Hubert", "UniSpeech", "Whisper", "Speech", "Audio", "Clap", "CTC"}

// madeFrozen reports a model whose weights are told to take no gradients where it is made: ….requires_grad_(False).
func (p *SourcePass) madeFrozen(model Value) bool {
	in := p.In(model.Made.Module())
	made := in.Module.StatementAt(model.Made.Node.Start)
	return slices.ContainsFunc(model.Made.Func.Sites, func(s *project.Site) bool {
		return s.Method() == "requires_grad_" && in.Module.StatementAt(s.Node.Start) == made && firstArg(s.Node) != nil &&
			in.Eval(firstArg(s.Node)).IsFalse()
	})
}

// takesBatch reports a call whose arguments are what a training loop takes from its data, moved and reshaped perhaps.
func (p *SourcePass) takesBatch(s *project.Site) bool {
	given := argumentsOf(s.Node)
	if s.Calls.Func != nil && s.Calls.Class == nil { // a helper, which gets the model, too
		return slices.ContainsFunc(given, func(e pysrc.Expr) bool { return p.ofBatch(s.Func, e, 0) })
	}
	return len(given) > 0 && p.ofBatch(s.Func, given[0], 0)
}

// ofBatch reports an expression whose first name leads to the variable of a loop, through variables, tokenizers and the
// parameters of functions; what another model computes does not.
func (p *SourcePass) ofBatch(fn *project.Function, e pysrc.Expr, depth int) bool {
	if depth > 8 || fn == nil || fn.Lambda != nil {
		return false
	}
	switch x := e.(type) {
	case *pysrc.Attribute:
		return p.ofBatch(fn, x.Value, depth+1)
	case *pysrc.Subscript:
		return p.ofBatch(fn, x.Value, depth+1)
	case *pysrc.BinOp:
		return p.ofBatch(fn, x.Left, depth+1)
	case *pysrc.Call:
		if f, ok := x.Func.(*pysrc.Attribute); ok && p.ofBatch(fn, f.Value, depth+1) { // clips.flatten(0, 1)
			return true
		}
		if pysrc.DottedName(x.Func) == "next" {
			return p.givesBatches(firstArg(x))
		}
		if p.drawsStored(x) || p.handsBack(fn, x, depth) {
			return true
		}
		name, v := p.NameOf(x.Func), p.Eval(x.Func)
		return len(x.Args) > 0 && (name == "list" || name == "tuple" || ofLibrary(v) || strings.HasPrefix(name, "torch.") && v.Kind != project.Instance) &&
			p.ofBatch(fn, x.Args[0], depth+1) // tokenizer(texts), and not what another model computes
	case *pysrc.Name:
		if loop, ok := p.LoopAround(e).(*pysrc.For); ok && storesName(loop.Target, x.ID) {
			return p.isTrainingLoop(loop)
		}
		if value := p.Module.SaidLast(x); value != nil {
			return p.ofBatch(fn, value, depth+1)
		}
		if value := p.unpackedFrom(x, fn); value != nil {
			return p.ofBatch(fn, value, depth+1)
		}
		if batchOfHook(fn, x.ID) {
			return true
		}
		return p.givenOfBatch(fn, x.ID, depth)
	}
	return false
}

// drawsStored reports a batch from the store of an object that is not a model, asked for with numbers alone: memory.sample(64).
func (p *SourcePass) drawsStored(c *pysrc.Call) bool {
	s := p.Module.SiteAt(c)
	if s == nil || s.Method() == "" || slices.ContainsFunc(argumentsOf(c), func(e pysrc.Expr) bool { return !p.isOneNumber(e) }) {
		return false
	}
	fn := s.Calls.Func
	if fn == nil {
		return s.Method() == "sample" && len(c.Args) == 1 // of a buffer that is not known
	}
	in := p.In(fn.Module)
	return fn.Class != nil && fn.Def != nil && s.Calls.Kind == project.Callable && !fn.Class.Derives("torch.nn.Module") && len(fn.Returns()) > 0 &&
		!slices.ContainsFunc(fn.Sites, func(inner *project.Site) bool { return in.isModelCall(inner.Node) })
}

// handsBack reports a function of the project that is given a batch and computes with no model and nothing random: self.move(batch).
func (p *SourcePass) handsBack(fn *project.Function, c *pysrc.Call, depth int) bool {
	s := p.Module.SiteAt(c)
	if s == nil || s.Calls.Func == nil || s.Calls.Kind != project.Callable || len(c.Args) == 0 || len(s.Calls.Func.Returns()) == 0 {
		return false
	}
	in := p.In(s.Calls.Func.Module)
	return p.ofBatch(fn, c.Args[0], depth+1) && !slices.ContainsFunc(s.Calls.Func.Sites, func(inner *project.Site) bool {
		return isRandom(inner) || in.isModelCall(inner.Node)
	})
}

// spread is x of a call f(*x), or nil.
func spread(c *pysrc.Call) pysrc.Expr {
	if len(c.Args) != 1 {
		return nil
	}
	if star, ok := c.Args[0].(*pysrc.Starred); ok {
		return star.Value
	}
	return nil
}

// givenOfBatch reports a parameter that training gives a part of its batch, wherever it calls the function.
func (p *SourcePass) givenOfBatch(fn *project.Function, name string, depth int) bool {
	trains := 0
	for _, c := range p.Project.Callers(fn) {
		in := p.In(c.Module())
		if in.EvaluationOnly(c) || in.LoopAround(c) == nil && in.Project.Leads(c.Func) {
			continue // for a look at it
		}
		given := c.Given(fn, name)
		if given == nil {
			given = spread(c.Node) // learn(*memory.sample(n))
		}
		if given == nil || !in.ofBatch(c.Func, given, depth+1) {
			return false
		}
		trains++
	}
	return trains > 0
}

// unpackedFrom is the value that a function unpacks into a name and others, once; or nil.
func (p *SourcePass) unpackedFrom(name *pysrc.Name, fn *project.Function) (value pysrc.Expr) {
	times := 0
	for _, a := range p.assignsOf(fn) {
		if a.End <= name.Start && storesName(a.Targets[0], name.ID) {
			value = partFor(name.ID, a)
			times++
		}
	}
	if times != 1 {
		return nil
	}
	return value
}

// partFor is the part of an assigned tuple that a name gets, or all of the value: a, b = x, y.
func partFor(name string, a *pysrc.Assign) pysrc.Expr {
	targets, ok := a.Targets[0].(*pysrc.Tuple)
	values, pairs := a.Value.(*pysrc.Tuple)
	if ok && pairs && len(targets.Elts) == len(values.Elts) {
		for i, t := range targets.Elts {
			if storesName(t, name) {
				return values.Elts[i]
			}
		}
	}
	return a.Value
}

// batchOfHook reports the parameter of a trainer's hook that holds the batch.
func batchOfHook(fn *project.Function, name string) bool {
	if fn.Class == nil || fn.Def == nil || len(fn.Def.Args.Args) < 2 {
		return false
	}
	switch {
	case fn.BaseName() == "training_step" && fn.Class.Derives("lightning.pytorch.LightningModule"):
		return fn.Def.Args.Args[1].Name == name
	case fn.BaseName() == "compute_loss" && fn.Class.Derives("transformers.Trainer"):
		return len(fn.Def.Args.Args) > 2 && fn.Def.Args.Args[2].Name == name
	}
	return false
}

// randomSamples reports that something near this module draws at random for a sample, but its place in the order: a dataset, a
// collate function, a transform; also where nothing is seen to make samples. Transforms of images and sounds leave texts alone.
func (p *SourcePass) randomSamples(text bool) bool {
	seen := 0
	for _, m := range p.Near() {
		if !text && (m.Says("albumentations") || m.Says("augment") || slices.ContainsFunc(m.Sites, makesAugmentation)) {
			return true
		}
		if slices.ContainsFunc(m.Sites, func(s *project.Site) bool { return strings.HasPrefix(s.Calls.Name, "torchvision.datasets.") }) {
			seen++ // its transforms are those asked for above
		}
		for _, fn := range m.Functions {
			if fn.Def == nil || len(fn.Def.Body) == 0 {
				continue
			}
			if _, sample := p.Project.PerSample(m, fn.Def.Body[0]); !sample {
				continue
			}
			seen++
			if slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return isRandom(s) && s.Method() != "shuffle" }) {
				return true
			}
		}
	}
	return seen == 0
}

// makesAugmentation reports a call that makes a random transform of a library: T.RandomCrop(224), T.ColorJitter(0.1).
func makesAugmentation(s *project.Site) bool {
	library, _, _ := strings.Cut(s.Calls.Name, ".")
	switch library {
	case "torchvision", "torchaudio", "monai", "imgaug":
		last := project.LastOf(s.Calls.Name)
		return strings.HasPrefix(last, "Rand") || strings.HasSuffix(last, "Jitter") || strings.HasSuffix(last, "Augment") ||
			strings.HasSuffix(last, "Masking")
	case "audiomentations", "torch_audiomentations", "nlpaug":
		return true
	}
	return strings.HasPrefix(s.Calls.Name, "kornia.augmentation.")
}
