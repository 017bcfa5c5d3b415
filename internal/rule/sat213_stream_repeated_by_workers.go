package rule

import (
	"bytes"

	"saturate/internal/project"
)

// streamRepeatedByWorkers finds streams that every worker goes through whole.
var streamRepeatedByWorkers = Rule{
	Code: "SAT213", Name: "stream-repeated-by-workers", Severity: Error, Subject: AboutLoading,
	Areas: []Area{DataArea}, Regroups: true,
	Title: "every worker reads the whole stream",
	What: "A training DataLoader with workers over an IterableDataset of the project whose __iter__ does not " +
		"check which worker it runs in.",
	Why: "Each of W workers has a copy of the dataset and iterates all of it, so every sample is loaded and " +
		"trained on W times per epoch.",
	Fine: "Streams of random samples. Queues that the workers share.",
	Advice: "Call torch.utils.data.get_worker_info() in __iter__ and give each worker its part: " +
		"itertools.islice(self.lines, info.id, None, info.num_workers).",
	Bad: "def __iter__(self):\n    yield from open(self.path)",
	Good: "def __iter__(self):\n    info = get_worker_info()\n    yield from islice(open(self.path), info.id, " +
		"None, info.num_workers)",
	Source: func(p *SourcePass) {
		for _, loader := range p.TrainingLoaders() {
			workers := loader.Arg("num_workers")
			n, known := workers.Int()
			stream := loader.Arg("dataset")
			if !known || n < 2 || stream.Class == nil || !stream.IsInstance("torch.utils.data.IterableDataset") ||
				!off(loader.Arg("worker_init_fn")) {
				continue
			}
			if iter := stream.Class.Methods["__iter__"]; iter != nil && !sharesOut(stream.Class) && !drawsAny(iter) {
				p.Report(loader.Callee(), nearlyCertain*workers.Confidence()*stream.Sure).Because(workers, iter)
			}
		}
	},
}

// sharesOut reports whether the file of a class speaks of workers, ranks, shards
// or queues, so that each worker may have a part of its own.
func sharesOut(c *project.Class) bool {
	for _, word := range [...]string{"worker_info", "worker_id", "rank", "shard", "split_by", "queue", "Queue"} {
		if bytes.Contains(c.Module.Text, []byte(word)) {
			return true
		}
	}
	return false
}
