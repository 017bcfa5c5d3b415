package rule

import "strings"

// workerThreadOversubscription finds OpenCV with all its threads in every worker.
var workerThreadOversubscription = Rule{
	Code: "SAT209", Name: "worker-thread-oversubscription", Severity: Advice, Subject: AboutLoading, Once: true,
	Areas: []Area{DataArea},
	Title: "OpenCV uses all CPU cores in every worker",
	What:  "A dataset uses OpenCV for each sample in a project that starts workers and never calls cv2.setNumThreads.",
	Why: "torch uses one thread per worker, OpenCV uses one per core. W workers with a thread per core slow down " +
		"each other and the training process.",
	Fine:   "A loader without workers. Images so small that OpenCV uses one thread.",
	Advice: "Call cv2.setNumThreads(0) at the top of the dataset's module or in a worker_init_fn.",
	Bad:    "image = cv2.resize(cv2.imread(path), (96, 96))  # in 16 workers",
	Good:   "cv2.setNumThreads(0)  # at the top of the module",
	Little: "images of a few hundred pixels use few threads",
	Source: func(p *SourcePass) {
		if !p.Imports("cv2") || p.Uses("cv2.setNumThreads") || !p.trains() {
			return
		}
		for _, call := range p.CallsTo("cv2.resize", "cv2.warpAffine", "cv2.warpPerspective", "cv2.remap", "cv2.cvtColor",
			"cv2.GaussianBlur", "cv2.filter2D") {
			path, ok := p.EverySample(call)
			if !ok || !p.startsWorkers() {
				continue
			}
			p.Report(call, likely*path.Sure).Because(path)
			return // once for a module: one call mends all
		}
	},
}

// startsWorkers reports whether the project makes a loader that has workers, or
// may have.
func (p *SourcePass) startsWorkers() bool {
	for _, m := range p.Project.Modules {
		for _, s := range m.Sites {
			if s.Calls.Name == "torch.utils.data.DataLoader" || strings.HasSuffix(s.Calls.Name, ".DataLoader") {
				if workers := p.eval.Argument(s, "num_workers"); !workers.Missing() && !workers.Equals(0) {
					return true
				}
			}
		}
	}
	return false
}
