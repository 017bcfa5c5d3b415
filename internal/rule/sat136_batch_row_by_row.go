package rule

// batchRowByRow finds batches that Python puts together or changes row by row in the process that trains.
var batchRowByRow = Rule{
	Code: "SAT136", Name: "batch-row-by-row", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea},
	Title: "Python goes through the rows of a batch one by one in every step",
	What: "A training step that makes a batch on the CPU in a Python loop, in the process that trains: a replay buffer that collects its rows " +
		"one by one, a generator that appends row after row, negatives that are drawn number by number, sentences that are padded one after the " +
		"other. Also arrays that a step, or a model in it, fills row by row. Small where each row is only copied.",
	Why: "Nothing is made ahead: the GPU waits while Python goes through the rows, and Python waits while the GPU computes. A row costs " +
		"microseconds for each call and each number; one index takes all rows of an array at once.",
	Fine: "A step that takes much longer than its batch. Batches that are made once and kept.",
	Advice: "Keep the data in arrays or tensors and index them with all rows at once: data[indices]; draw all numbers in one call. What needs a " +
		"loop belongs in a Dataset, whose DataLoader makes batches ahead in workers.",
	Bad:    "for _ in range(steps):\n    rows = [augment(images[i]) for i in np.random.choice(n, 256)]\n    batch = torch.tensor(np.stack(rows)).cuda()",
	Good:   "for batch in DataLoader(Augmented(images), batch_size=256, num_workers=8, pin_memory=True):\n    batch = batch.cuda(non_blocking=True)",
	Source: func(p *SourcePass) { p.handmadeBatches() },
}
