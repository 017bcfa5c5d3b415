package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// ofOneRank reports a test that lets one process of several through: rank == 0, accelerator.is_main_process.
func (p *SourcePass) ofOneRank(test pysrc.Expr) bool {
	switch t := test.(type) {
	case *pysrc.Compare:
		return len(t.Ops) == 1 && t.Ops[0] == pysrc.Eq && isZero(t.Comparators[0]) &&
			(project.HasWord(lastName(t.Left), "rank") || strings.HasPrefix(p.NameOf(t.Left), "torch.distributed.get_rank"))
	case *pysrc.Call:
		return len(t.Args) == 0 && p.ofOneRank(t.Func)
	case *pysrc.Name, *pysrc.Attribute:
		name := strings.ToLower(lastName(t))
		return strings.HasPrefix(name, "is_main") || strings.HasPrefix(name, "is_master") || name == "master_process" || name == "main_process" ||
			strings.HasPrefix(name, "is_rank_zero") || name == "is_global_zero"
	}
	return false
}

// onOneRank reports a place that one process of several reaches.
func (p *SourcePass) onOneRank(n Node) bool {
	found := false
	p.testsAround(n, func(test pysrc.Expr) {
		pysrc.Inspect(test, func(n pysrc.Node) bool {
			if e, ok := n.(pysrc.Expr); ok && p.ofOneRank(e) {
				found = true
			}
			return !found
		})
	})
	return found
}

// othersWait reports an evaluation of a distributed program that one process runs while the others wait for its next step.
func (p *SourcePass) othersWait(n Node, every int64) bool {
	return every <= rareOnOneRank && p.onOneRank(n) &&
		p.Uses("torch.nn.parallel.DistributedDataParallel", "torch.distributed.fsdp.FullyShardedDataParallel", "accelerate.Accelerator")
}

// rareOnOneRank is from how many steps on an evaluation that others wait for is rare.
const rareOnOneRank = 2000
