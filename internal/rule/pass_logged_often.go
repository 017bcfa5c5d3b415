package rule

import (
	"slices"

	"saturate/internal/project"
)

// barsRedrawn reports progress bars that each step redraws for a text or numbers of the host: set_postfix and set_description draw at once.
func (p *SourcePass) barsRedrawn() {
	said := map[*project.Function]bool{}
	for _, c := range p.MethodCalls("set_postfix", "set_description", "set_postfix_str", "set_description_str") {
		if said[c.Func] || c.Node.Keyword("refresh") != nil || len(p.Shown(c)) > 0 || p.testedRarely(c.Site) || p.readsWithin(c) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok || way.Kind != project.TrainingLoop || len(way.Calls) > 0 {
			continue
		}
		said[c.Func] = true
		p.Report(c.Callee(), likely*way.Sure).At(Advice).Because(way).
			Saying("%s redraws the progress bar in every step", p.Short(c.Callee())).
			Advising("Pass refresh=False: the bar then shows it when it is next drawn, ten times a second at most.").
			Small("drawing it takes a fraction of a millisecond")
	}
}

// readsWithin reports a call of which an argument reads a value back from the GPU: another rule names it.
func (p *SourcePass) readsWithin(c Call) bool {
	return slices.ContainsFunc(p.readsBack(), func(read readBack) bool { return c.Node.Span.Contains(int(read.Node.Start)) })
}

// gradientNormsLogged reports hooks of Lightning that compute the norm of every gradient, one by one, in each step to log them.
func (p *SourcePass) gradientNormsLogged() {
	for _, c := range p.CallsTo("lightning.pytorch.utilities.grad_norm", "lightning.pytorch.utilities.grads.grad_norm", "lightning.pytorch.utilities.grad_norm.grad_norm") {
		switch c.Func.BaseName() {
		case "on_before_optimizer_step", "on_after_backward", "on_train_batch_end", "training_step", "optimizer_step":
			if class := p.Class(c); class != nil && class.Derives("lightning.pytorch.LightningModule", "lightning.pytorch.Callback") && !p.underTest(c) {
				p.Report(c, likely).
					Saying("the norm of every gradient is computed and logged in every step, one tensor after the other").
					Advising("Log them every 50 steps, if self.trainer.global_step %% 50 == 0; or only the total norm that clipping computes.")
			}
		}
	}
	for _, c := range p.CallsTo("lightning.pytorch.Trainer") {
		if v := c.Arg("track_grad_norm"); v.Kind == project.Literal && !v.IsNone() && !v.Equals(-1) && v.Given() && !p.EvaluationOnly(c) {
			p.Report(c.Callee(), likely*v.Confidence()).Because(v).
				Saying("the norm of every gradient is computed and logged in every step, one tensor after the other")
		}
	}
}
