package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// lockPerSample finds samples that workers can only make one after the other.
var lockPerSample = Rule{
	Code: "SAT214", Name: "lock-per-sample", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "workers wait for one another at a lock for every sample",
	What: "A dataset, collate function or transform holds a lock of multiprocessing, filelock or fcntl for each sample. A " +
		"threading.Lock is each worker's own, and harmless.",
	Why:    "Only one worker at a time gets past the lock, so more workers load no faster.",
	Fine:   "A lock that is held for a moment, around a counter.",
	Advice: "Open the file in each worker, on first use, and read it without a lock.",
	Bad:    "def __getitem__(self, i):\n    with self.lock:  # multiprocessing.Lock()\n        return decode(self.files[i])",
	Good:   "def __getitem__(self, i):\n    return decode(self.files[i])",
	Source: func(p *SourcePass) {
		p.Module.EachOwner(func(n pysrc.Node) {
			with, ok := n.(*pysrc.With)
			if !ok || p.Function(with).Def == nil || !p.locksWork(with) {
				return
			}
			if path, ok := p.EverySample(with.Body[0]); ok {
				p.Report(with.Items[0], likely*path.Sure).Because(path)
			}
		})
	},
}

// sharedLocks are made by what several processes wait for.
var sharedLocks = setOfNames("multiprocessing.Lock()", "multiprocessing.RLock()", "multiprocessing.Lock", "multiprocessing.RLock",
	"torch.multiprocessing.Lock()", "torch.multiprocessing.Lock", "filelock.FileLock", "filelock.FileLock()",
	"multiprocessing.get_context().Lock()", "torch.multiprocessing.RLock()")

// locksWork reports a with that holds such a lock while it calls something.
func (p *SourcePass) locksWork(with *pysrc.With) bool {
	return slices.ContainsFunc(with.Items, func(item *pysrc.WithItem) bool {
		v := p.Eval(item.Context)
		return v.Kind == project.Instance && sharedLocks[v.Name]
	}) && slices.ContainsFunc(p.Function(with).Sites, func(s *project.Site) bool {
		return with.Body[0].Bounds().Start <= s.Node.Start && s.Node.End <= with.End
	})
}
