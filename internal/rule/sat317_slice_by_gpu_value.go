package rule

import (
	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// sliceByGPUValue finds slices whose bounds are values of the GPU.
var sliceByGPUValue = Rule{
	Code: "SAT317", Name: "slice-by-gpu-value", Severity: Warning, Subject: AboutWaits,
	Areas: []Area{HostArea},
	Asks:  [][]string{{"sync=shape"}},
	Title: "a slice waits for its bounds from the GPU in every step",
	What: "x[:n] or x[a:b] where a bound is a GPU tensor, such as a length or a random start, in every training " +
		"step; often in a loop over the batch.",
	Why: "Python needs the bound as a number, so the host waits until every queued kernel has run: a hidden " +
		".item() for each bound and each sample.",
	Fine: "Lengths that stay on the host. A small model whose step waits elsewhere anyway. Training on the CPU.",
	Advice: "Keep lengths on the host, or read them all with one .tolist() before the loop. Cut segments of " +
		"equal length without a loop: x.gather(-1, start[:, None] + torch.arange(size, device=x.device)), with the " +
		"dimensions in between expanded.",
	Bad: "for i in range(x.size(0)):\n    out[i] = x[i, :, start[i] : start[i] + size]  # start is on the GPU",
	Good: "index = start[:, None] + torch.arange(size, device=x.device)\nout = x.gather(2, index[:, " +
		"None].expand(-1, x.size(1), -1))",
	Safety: Safe, Waits: true,
	Source: func(p *SourcePass) {
		said := map[*project.Function]*Report{} // one for the slices of a function
		for _, s := range p.StepSubscripts() {
			bound, sure := p.boundOnGPU(s.Slice)
			if bound == nil {
				continue
			}
			loop, _ := p.LoopAround(s).(*pysrc.For)
			r := said[p.Function(s)]
			if r != nil {
				if len(r.finding.Fixes) > 0 {
					p.fillAlso(r, loop)
				}
				r.Too(p.At(s, "so does "+p.Short(s)))
				continue
			}
			if path, ok := p.EachStep(s); ok {
				r = p.Report(s, sure*path.Sure).Because(path).
					Saying("%s waits for %s from the GPU in every step", p.Short(s), p.Short(bound))
				said[p.Function(s)] = r
				p.fillAtOnce(r, loop)
			}
		}
	},
}

// boundOnGPU returns the bound of a slice that lies on the GPU, or nil.
func (p *SourcePass) boundOnGPU(index pysrc.Expr) (pysrc.Expr, float64) {
	axes := []pysrc.Expr{index}
	if t, ok := index.(*pysrc.Tuple); ok {
		axes = t.Elts
	}
	for _, axis := range axes {
		s, ok := axis.(*pysrc.Slice)
		if !ok {
			continue
		}
		for _, bound := range [...]pysrc.Expr{s.Lower, s.Upper} {
			if bound == nil {
				continue
			}
			if sure := p.valueOnGPU(bound, 0); sure >= probable {
				return bound, sure
			}
		}
	}
	return nil, 0
}
