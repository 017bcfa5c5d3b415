package rule

import (
	"path"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// mostSmall is the largest batch that leaves most of a data-center GPU idle for any kind of sample, unless samples or
// model fill its memory.
const mostSmall = 4

const (
	// fewForSteps is up to which batch the steps of a recurrent network leave a GPU idle, and fewSequences up to which they may.
	fewForSteps  = 16
	fewSequences = 128
)

// Why a small batch that somebody chose may cost little.
const (
	fewMayDo    = "a few large samples may keep a GPU busy"
	largerMayDo = "how much a larger batch gains is known only by measuring"
	imagesMayDo = "the images are small, but " + largerMayDo
	textsMayDo  = "the texts are few, but " + largerMayDo
	rowsMayDo   = "the rows are small, but " + largerMayDo
	chosenFew   = "a generator and what judges it are often trained on a few samples by choice"
)

// smallBatches reports loaders that give a few samples at once, by their own argument, by their batch sampler's, or by a
// key of a settings file.
func (p *SourcePass) smallBatches() {
	loaders := p.TrainingLoaders()
	if len(loaders) == 0 || p.sharded() || p.learnsByActing() || p.fillsMemory() {
		return
	}
	for _, loader := range loaders {
		gpu := p.FeedsGPU(loader)
		if gpu == 0 || hides(loader, "batch_size") || p.isStream(loader) {
			continue
		}
		size := loader.Arg("batch_size")
		node := loader.ArgumentNode("batch_size", 1)
		if sampler := loader.Arg("batch_sampler"); sampler.Kind == project.Instance && sampler.Made != nil {
			size, node = p.eval.Argument(sampler.Made, "batch_size"), nil
		}
		largest, recipes := largestOfRecipes(size)
		if size = p.toldSize(size, node); len(recipes) > 0 {
			size = largest
		}
		n, known := size.Int()
		switch {
		case known && n > 1 && !p.byAPI(size):
			if why, few := p.fewOf(loader, n); few {
				p.Report(loader.Callee(), plausible*size.Confidence()*gpu).Because(size).Saying("the batch size is %d", n).ofRecipes(recipes).beingLittle(why).ofSteps(n, why)
			}
		case size.Unknown() && len(size.Either) == 0 && node != nil && !p.adversaries():
			p.smallInSettings(loader, node, gpu)
		}
	}
}

// fewSamples reports a batch of so many samples that leaves most of a GPU idle, and why that may cost little. A recurrent network goes
// through its samples step by step, and takes as long for one as for dozens.
func (p *SourcePass) fewSamples(n int64) (little string, few bool) {
	recurs := p.seenLayers().recurrent() > 0 && !p.seenLayers().library
	switch {
	case n <= mostSmall && !recurs:
		return fewMayDo, true
	case recurs && n <= fewForSteps:
		return "", true
	case n <= fewSequences && (recurs || p.nearCalls(recurrentLayers...) && !p.attends()):
		return largerMayDo, true
	}
	return "", false
}

// fewOf is fewSamples for the batches of a loader, whose samples may be known to be small.
func (p *SourcePass) fewOf(loader Call, n int64) (little string, few bool) {
	if p.adversaries() {
		return chosenFew, n <= fewLarge
	}
	if little, few = p.fewSamples(n); few {
		return little, few
	}
	switch {
	case n <= fewLarge:
		return fewMayDo, true
	case p.smallSamples(loader):
		return imagesMayDo, n <= fewSmall
	case !p.keepsRows(loader):
		return "", false
	case p.attends():
		return textsMayDo, n <= fewTexts
	}
	return rowsMayDo, n <= fewPoints && !p.nearCalls("torch.nn.Conv2d", "torch.nn.Conv1d", "torchvision.models.*", "timm.create_model")
}

// toldSize is a size that is not one known number: the other of min(size, len(data)), or the smallest of several that programs set
// for themselves. What a caller passes may be for something else than training, and files and scripts may be for larger models.
func (p *SourcePass) toldSize(size Value, node pysrc.Expr) Value {
	if least, ok := node.(*pysrc.Call); ok && pysrc.DottedName(least.Func) == "min" {
		for _, e := range least.Args {
			if v := p.Eval(e); v.Given() && !v.Unknown() {
				return v
			}
		}
	}
	told := size
	for _, v := range size.Either {
		n, known := v.Int()
		if !known {
			return size
		}
		switch v.Origin.How {
		case project.ByOption, project.ByField, project.ByDictionary:
			if least, some := told.Int(); n > 1 && (!some || n < least) {
				told = v
			}
		}
	}
	return told
}

// ofSteps explains a batch that is small for a recurrent network alone.
func (r *Report) ofSteps(n int64, little string) *Report {
	if n <= mostSmall || little != "" && little != largerMayDo {
		return r
	}
	return r.Explaining("A recurrent network computes one step of all sequences after the other. Such a step takes as long for one sequence as for dozens.")
}

// slicedBatches reports training loops that take a few samples at once out of a list, by slices.
func (p *SourcePass) slicedBatches() {
	loops := p.TrainingLoops()
	if p.GPU() == 0 || len(loops) == 0 || p.adversaries() || p.sharded() || p.learnsByActing() || p.fillsMemory() {
		return
	}
	for _, loop := range loops {
		at, by := p.slicedBatch(loop)
		if at == nil {
			continue
		}
		size := onlyNumber(p.Eval(by))
		n, known := size.Int()
		if why, few := p.fewSamples(n); known && few && n > 0 && !p.byAPI(size) {
			p.Report(at, plausible*size.Confidence()*p.GPU()).Because(size).Saying("the batch size is %d", n).beingLittle(why).ofSteps(n, why)
		}
	}
}

// onlyNumber is the only number among the values that something may be: a default, which a file that is not known may change.
func onlyNumber(v Value) Value {
	var only *Value
	for i := range v.Either {
		if _, known := v.Either[i].Int(); known {
			if only != nil {
				return v
			}
			only = &v.Either[i]
		}
	}
	if only == nil {
		return v
	}
	return *only
}

// adversaries reports training with two optimizers under names of their own: a generator and what judges it, whose
// batches are a choice of the method.
func (p *SourcePass) adversaries() bool {
	for _, m := range p.Near() {
		near := p.In(m)
		names := map[*project.Function]string{}
		for _, c := range near.CallsTo("torch.optim.*") {
			if !isOptimizer(c) {
				continue
			}
			name := near.variableOf(c)
			if first := names[c.Func]; first != "" && name != "" && first != name {
				return true
			}
			names[c.Func] = name
		}
	}
	return false
}

// isOptimizer reports a call that makes an optimizer and not a scheduler of one.
func isOptimizer(c Call) bool { return strings.Count(c.Name(), ".") == 2 }

// fillsMemory reports models whose memory a few samples fill: volumes, language models of a billion weights and more,
// or of a size that is not known.
func (p *SourcePass) fillsMemory() bool {
	if p.nearCalls("torch.nn.Conv3d", "torch.nn.ConvTranspose3d") || p.trainsAdapter() {
		return true
	}
	for _, m := range p.Near() {
		for _, loaded := range p.In(m).Pretrained() {
			if loaded.billions == 0 || loaded.billions >= 1 {
				return true
			}
		}
	}
	return false
}

// smallInSettings reports a loader whose batch size is a key of a mapping that is not followed further, where settings
// files of the project hold that key with a small number.
func (p *SourcePass) smallInSettings(loader Call, size pysrc.Expr, gpu float64) {
	at, ok := size.(*pysrc.Subscript)
	if !ok {
		return
	}
	key, ok := pysrc.StringValue(at.Slice)
	if !ok || !p.Project.Uses("json.load", "json.loads", "yaml.load", "tomllib.load", "omegaconf.OmegaConf.load") {
		return
	}
	var r *Report
	for _, file := range p.Project.Settings {
		if file.Role == project.Test || file.Framework() != "" {
			continue
		}
		for _, s := range file.Find("." + key) {
			n, known := s.Value().Int()
			if !known || n < 2 || n > mostSmall || evaluates(s) || !trains(s) {
				continue
			}
			if r == nil {
				r = p.Report(loader.Callee(), perhaps*gpu).Saying("the batch size is %d in %s", n, path.Base(file.Path)).Small(fewMayDo)
			}
			r.Because(s.Value())
		}
	}
}

// trains reports a setting of a part of its file that is named after training.
func trains(s *project.Setting) bool {
	for ; s != nil; s = s.Parent {
		if project.HasWord(s.Key, "train", "training") {
			return true
		}
	}
	return false
}

// smallForSmallModels reports trainers of transformers that give a small text model 2 to 4 samples at once.
func (p *SourcePass) smallForSmallModels() {
	billions, model := p.billions()
	if billions == 0 || billions >= 0.15 || p.GPU() == 0 || p.sharded() || p.nearImports("librosa") || p.nearImports("soundfile") || p.nearImports("torchaudio") {
		return
	}
	for _, args := range p.TrainingArguments() {
		size := args.Arg("per_device_train_batch_size")
		if n, known := size.Int(); known && n > 1 && n <= mostSmall {
			p.Report(args.Callee(), probable*size.Confidence()*p.GPU()).Because(size, model).
				Saying("the batch size is %d for a model of %.0f million parameters", n, billions*1000)
		}
	}
}
