package rule

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// pretrained is a model that is loaded by its name.
type pretrained struct {
	Call
	name     string
	billions float64 // of parameters, as far as the name tells; 0 when it does not
}

// Pretrained returns the models of transformers that this module loads, with
// their size as far as the name tells it.
func (p *SourcePass) Pretrained() []pretrained {
	var list []pretrained
	for _, c := range p.MethodCalls("from_pretrained") {
		class := p.Eval(c.Receiver())
		if !class.IsClass("transformers.PreTrainedModel", "transformers.AutoModel") &&
			!strings.HasPrefix(class.Name, "transformers.AutoModel") {
			continue
		}
		v := c.ArgAt(0)
		if v.Missing() {
			v = c.Arg("pretrained_model_name_or_path")
		}
		name, _ := v.Str()
		if p.saidInEvaluation(v) {
			name = ""
		}
		list = append(list, pretrained{c, name, billionsOf(name)})
	}
	return list
}

// saidInEvaluation reports a value that a program sets which only evaluates: training uses another.
func (p *SourcePass) saidInEvaluation(v Value) bool {
	return slices.ContainsFunc(p.Project.Modules, func(m *project.Module) bool {
		return m.Source == v.Origin.Source && m != p.Module && (m.Role == project.Evaluation || m.Role == project.Test)
	})
}

// billions is the size of the largest model that this module loads, 0 when it
// loads none or a name does not tell.
func (p *SourcePass) billions() (largest float64, from Node) {
	for _, m := range p.Pretrained() {
		if m.billions == 0 {
			return 0, nil
		}
		if m.billions > largest {
			largest, from = m.billions, m.Node
		}
	}
	return largest, from
}

var sizeInName = regexp.MustCompile(`(?i)(?:^|[-_/.])(\d+(?:\.\d+)?)([bm])(?:$|[-_./])`)

// sizesByName are the parameters, in billions, of models whose names do not say
// them. A longer name comes before one that it starts with.
var sizesByName = []struct {
	name     string
	billions float64
}{
	{"whisper-tiny", 0.04},
	{"whisper-base", 0.07},
	{"whisper-small", 0.24},
	{"whisper-medium", 0.77},
	{"whisper-large-v3-turbo", 0.81},
	{"whisper-large", 1.55},
	{"distil-small", 0.17},
	{"distil-medium", 0.39},
	{"distil-large", 0.76},
	{"distilbert", 0.07},
	{"distilgpt2", 0.08},
	{"distilroberta", 0.08},
	{"bert-tiny", 0.004},
	{"bert-mini", 0.01},
	{"albert-base", 0.012},
	{"bert-base", 0.11},
	{"bert-large", 0.34},
	{"xlm-roberta-base", 0.28},
	{"xlm-roberta-large", 0.56},
	{"roberta-base", 0.125},
	{"roberta-large", 0.36},
	{"deberta-v3-small", 0.14},
	{"deberta-v3-base", 0.18},
	{"deberta-v3-large", 0.43},
	{"gpt2-medium", 0.35},
	{"gpt2-large", 0.77},
	{"gpt2-xl", 1.5},
	{"gpt2", 0.12},
	{"flan-t5-xl", 3},
	{"flan-t5-xxl", 11},
	{"t5-small", 0.06},
	{"t5-base", 0.22},
	{"t5-large", 0.77},
	{"bart-base", 0.14},
	{"bart-large", 0.41},
	{"wav2vec2-base", 0.095},
	{"wav2vec2-large", 0.32},
	{"hubert-base", 0.095},
	{"hubert-large", 0.32},
	{"wavlm-base", 0.095},
	{"speecht5", 0.15},
	{"electra-small", 0.014},
	{"electra-base", 0.11},
	{"vit-base", 0.086},
	{"all-MiniLM", 0.03},
}

// billionsOf is the number of parameters that a model's name tells: 7 of
// meta-llama/Llama-2-7b-hf, 0.24 of openai/whisper-small.
func billionsOf(name string) float64 {
	base := name[strings.LastIndexByte(name, '/')+1:]
	if m := sizeInName.FindStringSubmatch(base); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64)
		if strings.EqualFold(m[2], "m") {
			n /= 1000
		}
		return n
	}
	for _, s := range sizesByName {
		if strings.Contains(base, s.name) {
			return s.billions
		}
	}
	return 0
}

// trainsAdapter reports whether the project trains a few added weights (LoRA and
// its relatives) instead of the model's own.
func (p *SourcePass) trainsAdapter() bool {
	return p.Uses("peft.*", "unsloth.*", "loralib.*") || p.Imports("peft")
}

// TrainingArguments returns the calls that make arguments of a Trainer for training.
func (p *SourcePass) TrainingArguments() []Call {
	var list []Call
	for _, c := range p.Constructions("transformers.TrainingArguments") {
		if !p.EvaluationOnly(c) && !p.onlyPartsRead(c) {
			list = append(list, c)
		}
	}
	return list
}

// onlyPartsRead reports an object of which its function or script reads attributes and nothing else, so
// that nobody is given it: the default numbers of arguments, for an optimizer.
func (p *SourcePass) onlyPartsRead(c Call) bool {
	fn, name := p.Function(c), p.variableOf(c)
	if name == "" || strings.Contains(name, ".") || fn.Def == nil && len(p.Module.ImportedBy) > 0 {
		return false // what a module holds, others may import
	}
	var body pysrc.Node = p.Module.File.Module
	if fn.Def != nil {
		body = fn.Def
	}
	parts, whole := 0, 0
	pysrc.InspectPath(body, func(n pysrc.Node, path []pysrc.Node) bool {
		if read, ok := n.(*pysrc.Name); ok && read.ID == name && read.Ctx == pysrc.Load {
			whole++
			if a, ok := path[len(path)-1].(*pysrc.Attribute); ok && a.Ctx == pysrc.Load && !called(a, path) {
				parts++
			}
		}
		return true
	})
	return parts > 0 && parts == whole
}

// called reports the f of f(…), by the nodes around it.
func called(f *pysrc.Attribute, path []pysrc.Node) bool {
	if len(path) < 2 {
		return false
	}
	c, ok := path[len(path)-2].(*pysrc.Call)
	return ok && c.Func == pysrc.Expr(f)
}

// ofTRL reports arguments of a trainer of TRL, whose defaults are its own.
func ofTRL(c Call) bool {
	for _, v := range c.Possible() {
		if strings.HasPrefix(v.Name, "trl.") {
			return true
		}
		if v.Class != nil && strings.HasPrefix(v.Class.LibraryBase(), "trl.") {
			return true
		}
	}
	return false
}

// off reports an argument that is absent or False.
func off(v Value) bool { return v.Missing() || v.IsFalse() || v.IsNone() }

// sharded reports whether the project spreads weights and optimizer over GPUs.
func (p *SourcePass) sharded() bool {
	return p.Uses("deepspeed.*", "torch.distributed.fsdp.*", "colossalai.*", "megatron.*") || p.anyDeepSpeed()
}

func (p *SourcePass) anyDeepSpeed() bool {
	for _, s := range p.Project.Settings {
		if s.Framework() == "deepspeed" && s.Role != project.Test {
			return true
		}
	}
	return false
}

// setElsewhere reports an argument that somebody else than its function decides: who starts the program, a
// caller, a file. What is seen is a default or one of several.
func setElsewhere(v Value) bool {
	return v.Unknown() || v.Given() && v.Origin.How > project.ByVariable
}

// isModel reports an expression that is a model and not a tensor.
func (p *SourcePass) isModel(e pysrc.Expr) bool {
	v := p.Eval(e)
	if slices.ContainsFunc(append(v.Either, v), func(v Value) bool { // what a model gives is a tensor
		return v.IsInstance("torch.nn.Module") && !strings.HasSuffix(v.Name, ")")
	}) {
		return true
	}
	switch e.(type) {
	case *pysrc.Name, *pysrc.Attribute:
		return p.mayBeModel(e) && p.Project.UsedAsModel(p.Module, e) || project.HasWord(lastName(e), "model", "net", "network", "generator", "discriminator", "encoder", "decoder",
			"vocoder", "module", "unet", "vae")
	}
	return false
}

// mayBeModel reports an expression that is not known to be something else than a model.
func (p *SourcePass) mayBeModel(e pysrc.Expr) bool {
	v := p.Eval(e)
	return v.Kind != project.Type && v.Func == nil && (v.Kind != project.Instance || v.IsInstance("torch.nn.Module"))
}
