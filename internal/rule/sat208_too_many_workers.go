package rule

import (
	"saturate/internal/human"
	"saturate/internal/pysrc"
)

// tooManyWorkers finds loaders with a worker for every core, in each of several processes.
var tooManyWorkers = Rule{
	Code: "SAT208", Name: "too-many-workers", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea},
	Title: "every process starts a worker for each CPU core",
	What: "num_workers=os.cpu_count() in a project that trains with one process per GPU, or a fixed number of 32 " +
		"or more.",
	Why:  "With R training processes on a machine, R times as many workers compete for its cores and memory.",
	Fine: "One process per machine. Machines with hundreds of cores.",
	Advice: "Divide the cores by the number of processes: os.cpu_count() // torch.cuda.device_count(), rarely " +
		"more than 16.",
	Bad:  "DataLoader(data, num_workers=os.cpu_count())  # in each of 8 processes",
	Good: "DataLoader(data, num_workers=os.cpu_count() // 8)",
	Source: func(p *SourcePass) {
		distributed := p.Uses("torch.nn.parallel.DistributedDataParallel", "torch.distributed.init_process_group", "accelerate.Accelerator", "deepspeed.initialize", "torch.distributed.fsdp.FullyShardedDataParallel")
		for _, loader := range p.TrainingLoaders() {
			workers := loader.Arg("num_workers")
			if n, ok := workers.Int(); ok && n >= 32 {
				p.Report(loader.Callee(), probable*workers.Confidence()).Because(workers).
					Saying("the loader starts %s workers", human.Count(n))
				continue
			}
			if node := loader.ArgumentNode("num_workers", 5); node != nil && distributed && p.countsCores(node) {
				p.Report(loader.Callee(), likely)
			}
		}
	},
}

// countsCores reports an expression that is the number of cores, not divided.
func (p *SourcePass) countsCores(e pysrc.Expr) bool {
	c, ok := e.(*pysrc.Call)
	if !ok {
		return false
	}
	switch p.NameOf(c.Func) {
	case "os.cpu_count", "multiprocessing.cpu_count", "psutil.cpu_count", "torch.multiprocessing.cpu_count":
		return true
	}
	return false
}
