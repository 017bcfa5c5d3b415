package rule

import (
	"slices"

	"saturate/internal/project"
)

// poolsOfOne reports pools of threads or processes that load the samples of training with one worker.
func (p *SourcePass) poolsOfOne() {
	if !p.Project.Trains() || p.Module.Role == project.Test || p.Project.Prepares(p.Module) {
		return
	}
	for _, c := range p.CallsTo("concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor",
		"multiprocessing.Pool", "multiprocessing.pool.ThreadPool", "multiprocessing.dummy.Pool") {
		workers := c.ArgAt(0)
		for _, name := range [...]string{"max_workers", "processes"} {
			if given := c.Node.Keyword(name); given != nil {
				workers = p.Eval(given.Value)
			}
		}
		if !workers.Equals(1) || p.EvaluationOnly(c) {
			continue
		}
		if task := p.loadedByPool(); task != nil {
			p.Report(c.Callee(), probable*workers.Confidence()).Because(workers, p.At(task, "each sample goes through it")).
				Saying("one worker loads all samples").Advising("Give the pool as many workers as there are CPU cores to spare.")
		}
	}
}

// loadedByPool is a call that hands a pool of this module a function which decodes samples or computes their features; or nil.
func (p *SourcePass) loadedByPool() *project.Site {
	for _, s := range p.Module.Sites {
		if !slices.Contains([]string{"map", "submit", "imap", "imap_unordered", "starmap", "apply_async"}, s.Method()) || len(s.Node.Args) < 2 {
			continue
		}
		if fn := p.Eval(s.Node.Args[0]).Func; fn != nil {
			if _, heavy := p.Reaches(fn, takesLong, 3); heavy {
				return s
			}
		}
	}
	return nil
}
