package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// noTorchCompile finds training that runs op by op.
var noTorchCompile = Rule{
	Code: "SAT411", Name: "no-torch-compile", Severity: Advice, Subject: AboutKernels, SlowOnCPU: "compiling takes long on a CPU, in every run",
	Areas: []Area{ComputeArea, HostArea},
	Title: "the model is not compiled",
	What:  "A PyTorch 2 training script on a GPU where nothing nearby compiles the model or records CUDA graphs.",
	Why: "The compiler fuses element-wise operations into few kernels: less memory traffic and fewer launches " +
		"from Python.",
	Fine: "Inputs whose shapes change in every step (each shape is compiled). Models with many graph breaks. " +
		"Short jobs. Windows. It can be slower: measure it.",
	Advice: "Try model.compile() (before torch 2.2: model = torch.compile(model)), with dynamic=True if lengths " +
		"vary. Compare step times after the first few steps.",
	Gain:   Range{1.0, 1.85, "250 to 135 ms a step in nanoGPT; one model of mmaction2 went from 0.50 to 0.61 s"},
	Bad:    "model = Net().to(\"cuda\")",
	Good:   "model = Net().to(\"cuda\")\nmodel.compile()",
	Safety: DisplayOnly,
	Source: func(p *SourcePass) {
		if !p.runsOnGPU() || p.jaxOnly() || p.AtLeast("torch", "2.0") == project.No || len(p.TrainingLoops()) == 0 {
			return
		}
		placed := p.modelPlaced()
		if placed == nil || p.EvaluationOnly(placed) ||
			p.NearSays("compile(", "torch.jit", "CUDAGraph", "cuda.graph", "torch_compile", "dynamo", "lightning",
				"Accelerator", "deepspeed") {
			return
		}
		sure := plausible
		if p.AtLeast("torch", "2.0") == project.Yes {
			sure = likely
		}
		r := p.Report(placed, sure*p.GPU())
		r.Fix(DisplayOnly, "compile the model; it can be slower", p.compileAfter(placed, ""))
		if graphs := p.compileAfter(placed, `mode="reduce-overhead"`); graphs.Text != "" {
			r.Fix(DisplayOnly, "compile the model into CUDA graphs and round lengths so that they repeat; it can be slower", append(p.padToMultiple(), graphs)...)
		}
	},
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

// lengthMultiple is to what labels are padded for CUDA graphs: each length is recorded once, so there
// should be few. What is padded with -100 is left out of the loss.
const lengthMultiple = "32"

// padToMultiple gives the edits that pad labels further, behind where each batch is padded to its longest.
func (p *SourcePass) padToMultiple() []patch.Edit {
	var edits []patch.Edit
	for _, m := range p.Near() {
		for _, s := range m.Sites {
			if s.Name() != "torch.nn.utils.rnn.pad_sequence" || m.Notebook || m.Encoded {
				continue
			}
			call := Call{Site: s, pass: p}
			assign, ok := m.StatementAt(s.Node.Start).(*pysrc.Assign)
			if !ok || len(assign.Targets) != 1 || assign.Value != pysrc.Expr(s.Node) || !call.Arg("batch_first").IsTrue() ||
				!call.Arg("padding_value").Equals(-100) {
				continue
			}
			name := pysrc.DottedName(assign.Targets[0])
			pad, imports := m.ImportOf("torch.nn.functional.pad")
			line := m.LineAfter(s.Node, name+" = "+pad+"("+name+", (0, -"+name+".shape[1] % "+lengthMultiple+"), value=-100)")
			if name != "" && line.Text != "" {
				edits = append(append(edits, imports...), line)
			}
		}
	}
	return edits
}
