package rule

// fewPerDevice reports trainers of transformers that are given 2 to 4 samples at once by their arguments, and 1 to 4 by the scripts that
// start them: of models that may fill the memory, and may not.
func (p *SourcePass) fewPerDevice(name, saying string, said func(Call) bool) {
	if p.GPU() == 0 {
		return
	}
	for _, args := range p.HFArguments() {
		size := args.Arg(name)
		if n, known := size.Int(); known && n > 1 && n <= mostSmall && !said(args.Call) {
			p.Report(args.Callee(), perhaps*size.Confidence()*p.GPU()).Because(size).Saying(saying, n).Small(largeMayDo)
		}
	}
	parser, class := p.CommandLineArguments()
	if parser == nil || class.Class != nil && class.Class.Field(name) {
		return
	}
	var few []Value
	for _, v := range p.eval.EachStarted(p.Module, name) {
		if n, known := v.Int(); known && n >= 1 && n <= mostSmall {
			few = append(few, v)
		}
	}
	if len(few) > 0 {
		n, _ := few[0].Int()
		p.Report(parser.Callee(), perhaps*p.GPU()).Because(valuesOf(few)...).Saying(saying, n).Small(largeMayDo)
	}
}

// largeMayDo is why few samples at once may be enough for a model whose size is not known.
const largeMayDo = "a few samples of a large model may keep a GPU busy"

// saidOfSmall reports arguments whose batch of training another claim is about: those of a small model.
func (p *SourcePass) saidOfSmall(args Call) bool {
	billions, _ := p.billions()
	_, known := args.Arg("per_device_train_batch_size").Int()
	return known && billions > 0 && billions < smallModel && !p.sharded()
}

// smallModel is up to how many billions of weights a model leaves a GPU idle with a few samples.
const smallModel = 0.15
