package rule

import (
	"slices"
	"strings"

	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noTorchCompile finds training that runs op by op.
var noTorchCompile = Rule{
	Code: "SAT411", Name: "no-torch-compile", Severity: Advice, Subject: AboutKernels, General: true, SlowOnCPU: "compiling is slow on a CPU, and is repeated in every run",
	Areas: []Area{ComputeArea, HostArea},
	Asks:  [][]string{{"launch=compile"}, {"launch=graphs"}}, Compiles: true, Layers: 2,
	Pads: true, Passes: decoderMask,
	Argument: &Argument{
		Flag: "--torch_compile", Value: "True", Unless: []string{"--torch_compile_backend", "--torch_compile_mode"},
		Title: "the trainer compiles the model",
	},
	Title: "the model is not compiled",
	What: "A PyTorch 2 training script on a GPU where nothing nearby compiles the model or records CUDA graphs, and where shapes " +
		"repeat and nothing known breaks the graph. A call of torch.compile that has no effect: it is switched off, its result is not used, or only evaluation calls the result.",
	Why: "The compiler fuses element-wise operations into few kernels: less memory traffic and fewer launches " +
		"from Python.",
	Fine: "Inputs whose shapes change in every step (each shape is compiled). Models with many graph breaks. " +
		"Short jobs. Windows. It can be slower: measure it.",
	Advice: "Try model.compile() (before torch 2.2: model = torch.compile(model)), with dynamic=True if lengths " +
		"vary. Compare step times after the first few steps.",
	Gain:   Range{1.0, 1.85, "from 250 to 135 ms per step in nanoGPT; one model of mmaction2 went from 0.50 to 0.61 s"},
	Bad:    "model = Net().to(\"cuda\")",
	Good:   "model = Net().to(\"cuda\")\nmodel.compile()",
	Safety: DisplayOnly,
	Since: []Since{{
		Library: "torch", Version: "2.0", Lacks: "has no compiler", Then: "try model.compile()",
	}},
	Source: func(p *SourcePass) {
		p.compiledByTrainer()
		p.compilerDenied()
		if !p.runsOnGPU() || p.jaxOnly() || len(p.TrainingLoops()) == 0 && !p.stepsForOthers() || p.compiles() || p.uncompilable() {
			return
		}
		placed := p.modelPlaced()
		off := p.compiling()
		why := p.littleFromCompiler()
		if len(off.at) > 0 {
			if call := p.modelCalled(); placed == nil && call != nil {
				placed = call
			}
			if placed != nil && !p.EvaluationOnly(placed) {
				p.sayCompilerOff(p.Report(placed, plausible*p.GPU()).beingLittle(why), off)
			}
			return
		}
		if placed == nil || p.EvaluationOnly(placed) {
			if run := p.modelRun(); run != nil {
				r := p.Report(run, perhaps*p.GPU()).beingLittle(why)
				if at, placed := p.placedElsewhere(); placed != nil {
					at.compileFixes(r, placed)
				}
			}
			return
		}
		sure := plausible
		if p.AtLeast("torch", "2.0") == project.Yes {
			sure = likely
		}
		p.compileFixes(p.Report(placed, sure*p.GPU()).beingLittle(why), placed)
	},
}

// placedElsewhere is the place where the one model of the programs around this module is put on the GPU.
func (p *SourcePass) placedElsewhere() (at *SourcePass, placed *pysrc.Call) {
	for _, m := range p.Near() {
		other := p.In(m)
		call := other.modelPlaced()
		if m == p.Module || m.Role == project.Test || m.Notebook || m.Encoded || call == nil || other.EvaluationOnly(call) {
			continue
		}
		if placed != nil || p.AtLeast("torch", "2.0") == project.No {
			return nil, nil
		}
		at, placed = other, call
	}
	return at, placed
}

// compileFixes offers the ways to compile a model that this module puts on the GPU. A CUDA graph is recorded for each
// shape, so there is none where batches are as long as their longest sample and no edit rounds that.
func (p *SourcePass) compileFixes(r *Report, placed *pysrc.Call) {
	pads := p.padToMultiple()
	if len(pads) == 0 && p.lengthsDiffer() {
		r.Fix(DisplayOnly, "compile the model for all lengths; it can be slower", p.compileAfter(placed, "dynamic=True"))
		if layers := p.compileLayersAfter(placed, "dynamic=True"); len(layers) > 0 {
			r.Fix(DisplayOnly, "compile each layer for all lengths; it can be slower", layers...).Asking("launch=compile")
		}
		return
	}
	rounded := ""
	if len(pads) > 0 {
		rounded = " and round lengths so that they repeat"
	}
	r.Fix(DisplayOnly, "compile the model; it can be slower", p.compileAfter(placed, ""))
	if graphs := p.compileAfter(placed, `mode="reduce-overhead"`); graphs.Text != "" {
		r.Fix(DisplayOnly, "compile the model into CUDA graphs"+rounded+"; it can be slower", slices.Concat(pads, []patch.Edit{graphs})...)
	}
	if layers := p.compileLayersAfter(placed, `mode="reduce-overhead"`); len(layers) > 0 {
		r.Fix(DisplayOnly, "compile each layer into CUDA graphs"+rounded+"; it can be slower", slices.Concat(pads, layers)...)
	}
	p.recordInstead(r, placed, pads)
}

// lengthsDiffer reports whether a loader near this module pads each batch to its longest sample.
func (p *SourcePass) lengthsDiffer() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		in := p.In(m)
		return m.Role != project.Test && slices.ContainsFunc(in.TrainingLoaders(), func(loader Call) bool {
			return in.padsSequences(loader.Arg("collate_fn"))
		})
	})
}

// recordInstead offers to record the whole step, with a fused optimizer: no trace shows later what it takes of a recording.
func (p *SourcePass) recordInstead(r *Report, placed *pysrc.Call, pads []patch.Edit) {
	step, part := p.recordedSteps()
	what := "each layer"
	compiled := p.compileLayersAfter(placed, "dynamic=False")
	if len(compiled) == 0 {
		compiled, what = []patch.Edit{p.compileAfter(placed, "dynamic=False")}, "the model"
	}
	if len(step) == 0 || compiled[len(compiled)-1].Text == "" {
		return
	}
	title, fused := "compile "+what+" and record the whole step as one CUDA graph; it can be slower", p.fuse()
	if len(fused) > 0 {
		title = "compile " + what + ", fuse the optimizer and record the whole step as one CUDA graph; it can be slower"
	}
	r.Fix(DisplayOnly, title, slices.Concat(pads, compiled, fused, step)...).Asking("launch=step").Recording(part)
}

// recordedSteps gives the edits that record the step of the program, which may stand in another module than its model, and where it
// stands.
func (p *SourcePass) recordedSteps() (edits []patch.Edit, part *patch.Part) {
	for _, m := range p.Near() {
		if at := p.In(m); m.Role != project.Test && len(at.ForwardPasses()) > 0 {
			if edits != nil {
				return nil, nil // which of them runs is not known
			}
			if edits, part = at.recordStep(); edits == nil {
				return nil, nil
			}
		}
	}
	return edits, part
}

// uncompilable reports training that the compiler does not cover: gradients of gradients, models on several machines,
// products with edges of a graph, an image that is fitted.
func (p *SourcePass) uncompilable() bool {
	return p.Module.Says("create_graph=True") || p.Uses("tinycudann.*") || p.apexComputes() || p.nearCalls(sparseProducts...) || p.sharded() || p.Module.Says("distributed.rpc") || p.fitsTensors()
}

// apexComputes reports training in the float16 of Apex, whose patched functions the compiler cannot follow.
func (p *SourcePass) apexComputes() bool {
	return slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		near := p.In(m)
		return slices.ContainsFunc(near.CallsTo("apex.amp.initialize"), func(c Call) bool {
			_, off := near.neverTaken(c)
			return !off && !near.computesFull(c)
		})
	})
}

// sayCompilerOff names the switch that leaves the compiler out.
func (p *SourcePass) sayCompilerOff(r *Report, c compiling) {
	r.Saying("the model is not compiled: the switch for it is off").Because(c.at[0], c.off[0]).
		Advising("Turn it on, and compare step times after the first few steps.")
}

// stepsForOthers reports a module that holds the step of training loops of other modules, none of which puts the model
// on the GPU itself.
func (p *SourcePass) stepsForOthers() bool {
	loops := p.trainingLoopsHere()
	return len(loops) > 0 && !slices.ContainsFunc(loops, func(l *project.Loop) bool {
		return l.Module == p.Module || p.In(l.Module).modelPlaced() != nil
	})
}

// modelCalled is the call of the model that training takes its loss from; nil when it is not seen.
func (p *SourcePass) modelCalled() *pysrc.Call {
	for _, pass := range p.ForwardPasses() {
		if call, ok := pass.model.(*pysrc.Call); ok && pass.sure == project.Certain && !p.EvaluationOnly(call) {
			return call
		}
	}
	return nil
}

// modelRun is what training calls the model by, or where it goes back through it, as far as the source shows; nil for no
// training that runs here.
func (p *SourcePass) modelRun() pysrc.Node {
	if call := p.modelCalled(); call != nil {
		return call.Func
	}
	for _, pass := range p.ForwardPasses() {
		fn := p.Function(pass.backward)
		alone := fn.Def != nil && fn.Class == nil && len(p.Project.Callers(fn)) == 0 // a helper that nobody calls
		if !alone && !p.EvaluationOnly(pass.backward) {
			return pass.model
		}
	}
	return nil
}

// compiledByTrainer names trainers of transformers that could compile their model.
func (p *SourcePass) compiledByTrainer() {
	lightning, arguments := p.CallsTo("lightning.pytorch.Trainer"), p.HFArguments()
	if len(lightning)+len(arguments) == 0 || p.compiles() || p.sharded() {
		return
	}
	why := p.littleFromCompiler()
	for _, trainer := range lightning {
		old := why
		if p.lightningAtLeast("2.0") == project.No { // which accepts no compiled module, but a module with a compiled network
			old = "the project asks for a Lightning that is older than the compiler"
		}
		if !p.EvaluationOnly(trainer) && p.runsOnGPU() {
			r := p.Report(trainer.Callee(), perhaps*p.GPU()).beingLittle(old).Saying("the trainer does not compile the model").
				Advising("Try trainer.fit(torch.compile(module), …), and compare step times after the first few steps.")
			if off := p.compiling(); len(off.at) > 0 {
				p.sayCompilerOff(r, off)
			}
			break
		}
	}
	if p.trainsAdapter() || p.Uses("bitsandbytes.*", "transformers.BitsAndBytesConfig") {
		why = "quantized weights and adapters break the compiler's graph"
	}
	for _, args := range arguments {
		compile, mode := args.Arg("torch_compile"), args.Arg("torch_compile_mode")
		if compile.Missing() && mode.Missing() {
			r := p.Report(args.Callee(), perhaps*p.GPU()).beingLittle(why).Because(compile).
				Fix(DisplayOnly, "let the trainer compile the model; it can be slower", compile.SetTo("True")).
				Fix(DisplayOnly, "let the trainer compile the model into CUDA graphs; it can be slower", mode.SetTo(`"reduce-overhead"`))
			if layers := p.compileTrainersLayers(); len(layers) > 0 {
				r.Fix(DisplayOnly, "compile each layer of the trainer's model into CUDA graphs; it can be slower", layers...)
			}
		}
	}
}

// compileTrainersLayers gives the edits that compile each layer of the model that the module's only trainer has, behind
// the trainer.
func (p *SourcePass) compileTrainersLayers() []patch.Edit {
	trainers := p.Constructions("transformers.Trainer")
	if len(trainers) != 1 {
		return nil
	}
	made := trainers[0].Node
	assign, ok := p.Module.StatementAt(made.Start).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(made) || pysrc.DottedName(assign.Targets[0]) == "" {
		return nil
	}
	return p.compileLayersOf(made, pysrc.DottedName(assign.Targets[0])+".model", `mode="reduce-overhead"`)
}

// compileLayersAfter gives the edits that compile each layer of a model, into CUDA graphs of its own if so asked: they are
// recorded soon, and the rest of the model may do what a graph cannot hold.
func (p *SourcePass) compileLayersAfter(placed *pysrc.Call, how string) []patch.Edit {
	whole := p.compileAfter(placed, "")
	model, ok := strings.CutSuffix(strings.TrimSpace(whole.Text), ".compile()")
	if !ok || !p.NearSays("ModuleList", "transformers") {
		return nil
	}
	return p.compileLayersOf(placed, model, how)
}

// compileLayersOf compiles the layers of the model of this name, behind the statement of a call.
func (p *SourcePass) compileLayersOf(placed *pysrc.Call, model, how string) []patch.Edit {
	lists, imports := p.Import("torch.nn.ModuleList")
	layer := (&deferral{p: p, fn: p.bodyOf(placed)}).freeName("layer", "block", "part")
	if layer == "" {
		return nil
	}
	indent := p.indentOf(p.Module.StatementAt(placed.Start))
	text := "for " + layer + " in [" + layer + " for m in " + model + ".modules() if isinstance(m, " + lists + ") for " + layer + " in m]:" +
		p.Module.Newline() + indent + "    " + layer + ".compile(" + how + ")"
	return append(imports, p.LineAfter(placed, text))
}

// compileAfter gives the edit that compiles a model behind the statement that
// puts it on the GPU. model.compile() leaves the model what it is, with the
// names of its weights; before torch 2.2 there is only torch.compile(model).
func (p *SourcePass) compileAfter(placed *pysrc.Call, how string) patch.Edit {
	model := ""
	switch s := p.Module.StatementAt(placed.Start).(type) {
	case *pysrc.Assign:
		if len(s.Targets) == 1 && s.Value == pysrc.Expr(placed) {
			model = pysrc.DottedName(s.Targets[0])
		}
	case *pysrc.ExprStmt:
		if f, ok := placed.Func.(*pysrc.Attribute); ok && s.Value == pysrc.Expr(placed) {
			model = pysrc.DottedName(f.Value)
		}
	}
	if model == "" || p.AtLeast("torch", "2.2") == project.No {
		return patch.Edit{}
	}
	return p.LineAfter(placed, model+".compile("+how+")")
}
