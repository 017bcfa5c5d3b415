package rule

import (
	"saturate/internal/patch"
	"saturate/internal/project"
)

// lightningSyncDist finds metrics that all ranks exchange in every step.
var lightningSyncDist = Rule{
	Code: "SAT711", Name: "lightning-sync-dist", Severity: Warning, Subject: AboutRanks,
	Areas: []Area{HostArea}, NeedsGPU: true,
	Title:  "a logged metric is synchronized between all GPUs in every step",
	What:   "self.log or self.log_dict with sync_dist=True in training_step, unless it logs only per epoch.",
	Why:    "Each logged value is reduced over all ranks in every step, and the ranks wait for each other.",
	Fine:   "In validation, or with on_step=False, on_epoch=True: the value is then synchronized once per epoch.",
	Bad:    "def training_step(self, batch, i):\n    …\n    self.log(\"loss\", loss, sync_dist=True)",
	Good:   "def training_step(self, batch, i):\n    …\n    self.log(\"loss\", loss)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		first := map[*project.Function]*Report{} // one finding for all that a step logs
		edits := map[*project.Function][]patch.Edit{}
		var order []*project.Function
		for _, c := range p.MethodCalls("log", "log_dict") {
			sync := c.Arg("sync_dist")
			class := p.Class(c)
			if !sync.IsTrue() || c.Arg("on_step").IsFalse() || class == nil ||
				!class.Derives("lightning.pytorch.LightningModule") || rootName(c.Receiver()) != "self" {
				continue
			}
			way, hot := p.Hot(c)
			if !hot || p.EvaluationOnly(c) || p.Rare(c) != nil {
				continue
			}
			fn := p.Function(c)
			if first[fn] == nil {
				first[fn] = p.Report(c, likely*way.Sure*sync.Confidence()).Because(way, sync)
				order = append(order, fn)
			}
			edits[fn] = append(edits[fn], sync.SetTo("False"))
		}
		for _, fn := range order {
			first[fn].Fix(Unsafe, "log the value of this rank", edits[fn]...)
		}
	},
}
