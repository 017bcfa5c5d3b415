package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// attentionsAsked reports models of transformers that are told to return the weights of every layer, which makes them leave the fused
// kernels out, where nothing reads them: config.output_attentions = True, from_pretrained(name, output_attentions=True).
func (p *SourcePass) attentionsAsked() {
	if !p.Imports("transformers") || !p.Module.Says("output_attentions") || p.readsAttentions() {
		return
	}
	var first *Report
	say := func(at Node) {
		if p.aidIsFine(at) || p.EvaluationOnly(at) || !p.leadsToTraining(p.Function(at)) || !p.trained() && p.trainingPlace() == nil {
			return
		}
		if first != nil {
			first.Too(p.At(at, "and here"))
			return
		}
		first = p.Report(at, likely*p.GPU()).
			Saying("output_attentions=True stores the weights of every layer, and nothing reads them").
			Advising("Leave output_attentions out: the model then uses scaled_dot_product_attention.")
	}
	for _, a := range p.Module.Assignments {
		if target, ok := a.Target.(*pysrc.Attribute); ok && target.Attr == "output_attentions" && p.Eval(a.Value).IsTrue() {
			say(target)
		}
	}
	for _, s := range p.Module.Sites {
		k := s.Node.Keyword("output_attentions")
		if k != nil && strings.HasPrefix(s.Calls.Name, "transformers.") && !strings.Contains(s.Calls.Name, ").") && p.Eval(k.Value).IsTrue() {
			say(k.Value)
		}
	}
}

// readsAttentions reports a project that reads the weights which a model returns, by their name or, behind the other results, by a number.
func (p *SourcePass) readsAttentions() bool {
	for _, field := range [...]string{"attentions", "encoder_attentions", "decoder_attentions", "cross_attentions"} {
		if p.readInTraining(field) || p.NearSays(`"`+field+`"`, "'"+field+"'") {
			return true
		}
	}
	for _, s := range p.Module.Subscripts {
		at, ok := pysrc.IntValue(s.Slice)
		if !ok || at >= 0 && at < 2 {
			continue
		}
		of := s.Value
		if name, ok := of.(*pysrc.Name); ok {
			of = p.Module.SaidLast(name)
		}
		if _, result := of.(*pysrc.Call); result && shapeOf(s.Value) == nil {
			return true
		}
	}
	return false
}
