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
	besideDecoding  = "the same sample decodes an image or a sound, which takes far longer"
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

// littleTokens says why it costs little to turn a text of each sample into numbers, or nothing: the step takes far longer, what a
// model does with the same text, or what is decoded beside it.
func (p *SourcePass) littleTokens(path project.Path, t tokenisation) string {
	switch {
	case p.encodedNext(t.Site):
		return "a model encodes the same texts, which takes far longer"
	case decodesBeside(path, t):
		return besideDecoding
	}
	return p.besideSlowStep()
}

// decodesBeside reports a text that is tokenized for a sample which also has an image or sound to decode: that takes a
// hundred times as long, unless the tokenizer is one in Python.
func decodesBeside(path project.Path, t tokenisation) bool {
	return path.Root != nil && t.fast() != "a slow Python tokenizer" &&
		slices.ContainsFunc(path.Root.Sites, func(s *project.Site) bool { return decodersOf[s.Name()] })
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
