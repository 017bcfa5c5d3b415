package rule

import (
	"maps"
	"slices"

	"saturate/internal/project"
)

// glooOnGPU finds GPUs that exchange their gradients through the host.
var glooOnGPU = Rule{
	Code: "SAT604", Name: "gloo-on-gpu", Severity: Warning, Subject: AboutRanks,
	Areas: []Area{ComputeArea}, NeedsGPU: true,
	Title: "GPUs exchange gradients through the host",
	What: "init_process_group(\"gloo\") in a module that trains on CUDA. NCCL_P2P_DISABLE=1, NCCL_P2P_LEVEL=LOC or " +
		"NCCL_SHM_DISABLE=1 in the program or in a script that starts it.",
	Why:    "Gloo copies every tensor to the host, sums there and copies back. NCCL transfers directly between GPUs.",
	Fine:   "Windows. Training on the CPU. A second group for host objects. GPUs without peer access, where NCCL hangs otherwise.",
	Bad:    `dist.init_process_group("gloo")`,
	Good:   `dist.init_process_group("nccl")`,
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		p.slowLinks()
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

// slowVariables are environment variables that make NCCL leave out a fast way between GPUs: the value, or nothing for any that is
// true, and what happens then.
var slowVariables = map[string][2]string{
	"NCCL_P2P_DISABLE": {"", "NCCL may not copy between GPUs, so gradients go through the host"},
	"NCCL_P2P_LEVEL":   {"LOC", "NCCL may not copy between GPUs, so gradients go through the host"},
	"NCCL_SHM_DISABLE": {"", "NCCL may not use shared memory, so gradients go through the network"},
}

// slowLinks reports such variables.
func (p *SourcePass) slowLinks() {
	for _, name := range slices.Sorted(maps.Keys(slowVariables)) {
		on, what := slowVariables[name][0], slowVariables[name][1]
		for _, e := range p.environment(name) {
			if (on == "" && isSet(e.value) || on != "" && e.value.Equals(on)) && !p.aidIsFine(e.at) && p.GPU() > 0 {
				p.Report(e.at, likely*e.value.Sure*p.GPU()).Because(e.because()).Saying("%s", what).
					Advising("Remove the variable, and keep it only if NCCL hangs without it.")
			}
		}
	}
}
