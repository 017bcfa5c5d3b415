package rule

import "saturate/internal/project"

// glooOnGPU finds GPUs that exchange their gradients through the host.
var glooOnGPU = Rule{
	Code: "SAT604", Name: "gloo-on-gpu", Severity: Warning, Subject: AboutRanks,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title:  "GPUs exchange gradients through the host",
	What:   "init_process_group(\"gloo\") in a module that trains on CUDA.",
	Why:    "Gloo copies every tensor to the host, sums there and copies back. NCCL transfers directly between GPUs.",
	Fine:   "Windows. Training on the CPU. A second group for host objects.",
	Bad:    `dist.init_process_group("gloo")`,
	Good:   `dist.init_process_group("nccl")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		for _, c := range p.CallsTo("torch.distributed.init_process_group") {
			backend := c.Arg("backend")
			if !backend.Equals("gloo") || p.GPU() < nearlyCertain || p.EvaluationOnly(c) || p.underTest(c) ||
				backend.Origin.How > project.ByVariable ||
				len(p.CallsTo("torch.nn.parallel.DistributedDataParallel")) == 0 {
				continue
			}
			p.Report(c, likely*backend.Confidence()*p.GPU()).Because(backend).
				Fix(Unsafe, "use NCCL; every process needs CUDA", backend.SetTo(`"nccl"`))
		}
	},
}
