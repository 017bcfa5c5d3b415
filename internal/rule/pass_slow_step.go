package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

const (
	besideLarge     = "a step of a model with billions of parameters takes far longer"
	besideDiffusion = "a step of a pretrained diffusion model takes far longer"
)

// besideSlowStep says why a step of the program near this module takes so long that its texts and the copy of its batch cost next
// to nothing beside it, or nothing.
func (p *SourcePass) besideSlowStep() string {
	switch {
	case slices.ContainsFunc(p.Near(), func(m *project.Module) bool { return p.In(m).loadsDiffusion() }):
		return besideDiffusion
	case p.nearLargeModel() || p.shardsParameters():
		return besideLarge
	}
	return ""
}

// shardsParameters reports a project whose DeepSpeed settings all spread the parameters over the GPUs: they do not fit on one.
func (p *SourcePass) shardsParameters() bool {
	found := false
	for _, s := range p.Project.Settings {
		if s.Framework() != "deepspeed" || s.Role == project.Test {
			continue
		}
		for _, stage := range s.Find(".zero_optimization.stage") {
			if !stage.Value().Equals(3) {
				return false
			}
			found = true
		}
	}
	return found
}

// loadsDiffusion reports a module that loads the network of a pretrained diffusion model.
func (p *SourcePass) loadsDiffusion() bool {
	return p.Imports("diffusers") && slices.ContainsFunc(p.MethodCalls("from_pretrained"), func(c Call) bool {
		class := p.Eval(c.Receiver())
		name := lastName(c.Receiver())
		return class.Kind == project.Type && !p.EvaluationOnly(c) && (strings.Contains(name, "UNet") || strings.Contains(name, "Transformer")) &&
			!strings.HasPrefix(class.Name, "transformers.")
	})
}

// littleText says why it costs little to turn a text of each sample into numbers, or nothing: the same sample, or the step, takes far
// longer. A tokenizer in Python may take as long as decoding does.
func (p *SourcePass) littleText(path project.Path, slow bool) string {
	if path.Root != nil {
		in := p.In(path.Root.Module)
		if !slow && in.decodesIn(path.Root) {
			return "the same sample decodes an image or a sound, which takes far longer"
		}
		if _, reads := in.Reaches(path.Root, loadsArray, 3); reads {
			return "the same sample reads a file, which takes far longer"
		}
	}
	return p.besideSlowStep()
}

// littleTokens is littleText of a call, whose tokens a model may encode next.
func (p *SourcePass) littleTokens(path project.Path, t tokenisation) string {
	if p.encodedNext(t.Site) {
		return "a model encodes the same texts, which takes far longer"
	}
	return p.littleText(path, t.fast() == "a slow Python tokenizer")
}

// loadsArray reports a call that reads an array or a tensor from a file.
func loadsArray(s *project.Site) bool {
	return s.Calls.Name == "numpy.load" || s.Calls.Name == "torch.load"
}

// encodedNext reports tokens that the function which makes them gives to a model: model(ids), after ids = tokenizer(text).
func (p *SourcePass) encodedNext(at *project.Site) bool {
	set, ok := p.Module.StatementAt(at.Node.Start).(*pysrc.Assign)
	if !ok || len(set.Targets) != 1 {
		return false
	}
	tokens, ok := set.Targets[0].(*pysrc.Name)
	return ok && slices.ContainsFunc(at.Func.Sites, func(s *project.Site) bool {
		return s.Node.Start > at.Node.End && mentions(s.Node, tokens.ID) && p.isModel(s.Node.Func)
	})
}

// littleTokenizing says why the speed of the tokenizer of this module matters little, or nothing.
func (p *SourcePass) littleTokenizing() string {
	why := ""
	for _, t := range p.Tokenisations() {
		path, every := p.PerSample(t)
		if !every || p.EvaluationOnly(t) {
			continue
		}
		if why = p.littleTokens(path, t); why == "" {
			return ""
		}
	}
	if why == "" {
		why = p.besideSlowStep()
	}
	return why
}
