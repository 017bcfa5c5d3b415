package rule

import (
	"fmt"
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// evaluationOneByOne finds validation during training that runs one sample at a time.
var evaluationOneByOne = Rule{
	Code: "SAT709", Name: "evaluation-one-by-one", Severity: Advice, Subject: AboutEvaluation,
	Areas: []Area{ApartArea},
	Title: "validation runs one sample at a time",
	What: "A DataLoader with batch_size=1 that a training program iterates over without training: its validation set. " +
		"Also a loop outside the training steps that calls the model on one sample at a time: model(x.unsqueeze(0)). Also " +
		"validation batches of at most half the training batch size, and metrics that Python computes row by row each time that training evaluates: a " +
		"loop over the samples of an array with a loop, NumPy or a search for each. Small where a row takes a few calls, or a model " +
		"generates what the loop goes through. Also 2 to 4 samples at once in the evaluation of a Trainer.",
	Why: "Each forward pass computes one sample and reads all weights for it. Training waits for as many passes as " +
		"there are samples.",
	Fine: "Samples of different sizes that cannot be padded, such as whole images for segmentation. A validation set of " +
		"a few samples.",
	Advice: "Evaluate in batches at least as large as those of training: validation needs no memory for gradients. Pad " +
		"samples of different lengths. Compute metrics on whole arrays.",
	Bad:  "held_out = DataLoader(validation, batch_size=1)",
	Good: "held_out = DataLoader(validation, batch_size=64)",
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || !p.trains() {
			return
		}
		p.smallEvaluations()
		p.fewPerDevice("per_device_eval_batch_size", "the batch size is %d in evaluation", func(Call) bool { return false })
		for _, c := range p.Constructions("torch.utils.data.DataLoader") {
			size := c.Arg("batch_size")
			if !size.Equals(1) || size.Origin.How != project.InPlace && size.Origin.How != project.ByDictionary || c.Func == p.Module.Main && len(p.Module.ImportedBy) > 0 || p.Project.LoaderUse(c.Site) != project.LooksAt || p.Module.Role == project.Evaluation ||
				p.Module.Role == project.Test || !p.trained() || p.givesWholes(c) || p.batchesElsewhere(c) && !c.Arg("collate_fn").Given() ||
				p.calledByHand(c.Func) || p.keepsImageSizes(c) {
				continue
			}
			p.Report(c.Callee(), plausible*size.Confidence()*p.GPU()).Because(size)
		}
		p.singleEvaluations()
		p.rowsOfEvaluation()
	},
}

// calledByHand reports a function that no program calls and that does not train: it measures the data, say.
func (p *SourcePass) calledByHand(fn *project.Function) bool {
	return fn.Def != nil && fn.Class == nil && len(p.Project.Callers(fn)) == 0 &&
		!slices.ContainsFunc(fn.Sites, func(s *project.Site) bool { return s.Method() == "backward" })
}

// smallEvaluations reports validation in batches that are much smaller than those of training, though it needs less memory.
func (p *SourcePass) smallEvaluations() {
	loaders := p.Constructions("torch.utils.data.DataLoader")
	var most int64
	var trains Value
	for _, c := range loaders {
		size := c.Arg("batch_size")
		if n, known := size.Int(); known && n > most && p.Project.LoaderUse(c.Site)&project.Trains != 0 {
			most, trains = n, size
		}
	}
	for _, c := range loaders {
		size := c.Arg("batch_size")
		n, known := size.Int()
		if !known || n < 2 || 4*n > most && (2*n > most || n >= busyBatch) || p.Project.LoaderUse(c.Site) != project.LooksAt || p.givesWholes(c) || c.Func == p.Module.Main && len(p.Module.ImportedBy) > 0 {
			continue
		}
		p.Report(c.Callee(), plausible*size.Confidence()*trains.Confidence()*p.GPU()).Because(size, trains).
			Saying("the batch size is %d in validation and %d in training", n, most).
			beingLittle(fillsGPU(n, most))
	}
	for _, args := range p.HFArguments() {
		size, by := args.Arg("per_device_eval_batch_size"), args.Arg("eval_strategy")
		if by.Missing() {
			by = args.Arg("evaluation_strategy")
		}
		if size.Equals(1) && (by.Equals("steps") || by.Equals("epoch")) && !p.nearLargeModel() {
			p.Report(args.Callee(), plausible*size.Confidence()*p.GPU()).Because(size)
		}
	}
}

// busyBatch is from where on a batch of validation mostly keeps a GPU busy.
const busyBatch = 32

// fillsGPU says that a batch of validation is large enough to keep a GPU busy, or nearly as large as in training, or nothing.
func fillsGPU(size, training int64) string {
	switch {
	case size >= busyBatch:
		return fmt.Sprintf("batches of %d mostly keep a GPU busy", size)
	case 4*size > training:
		return "validation takes a small part of the time"
	}
	return ""
}

// givesWholes reports a loader whose dataset gives something else in training than in validation, a pixel or a whole
// image: one of the latter may well be a batch.
func (p *SourcePass) givesWholes(loader Call) bool {
	data := loader.Arg("dataset")
	for _, v := range append([]Value{data}, data.Either...) {
		if v.Class == nil {
			continue
		}
		get := v.Class.Method("__getitem__")
		if get == nil || get.Def == nil || len(get.Def.Body) == 0 {
			continue
		}
		if test, ok := get.Def.Body[0].(*pysrc.If); ok && len(test.Orelse) > 0 {
			if field := project.FieldOfSelf(compared(test.Test)); field != "" && !p.askedOfLibrary(v.Class, field) {
				return true
			}
		}
	}
	return false
}

// askedOfLibrary reports a field that only holds what a function of a library says, such as whether a path is a folder.
func (p *SourcePass) askedOfLibrary(class *project.Class, field string) bool {
	in := p.In(class.Module)
	call, ok := in.onlyField(class, field).(*pysrc.Call)
	return ok && in.Module.SiteAt(call) != nil && in.Module.SiteAt(call).Calls.Func == nil
}

// compared is what a test asks about: the left side of a comparison, or all of it.
func compared(test pysrc.Expr) pysrc.Expr {
	if c, ok := test.(*pysrc.Compare); ok {
		return c.Left
	}
	return test
}
