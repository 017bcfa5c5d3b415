package finding

// Faults that both a trace and the steps of a run show. Each is one text with two codes.
var (
	LoaderInMainProcess = Rule{
		Name: "loader-in-main-process", Severity: Error, Subject: Loading, Areas: []Area{DataArea},
		Title:  "the training process prepares batches itself",
		Why:    "Without worker processes a batch is prepared while the model waits: the times add up instead of overlapping.",
		Advice: "Give the DataLoader workers (num_workers), and move work that is the same in every epoch out of __getitem__.",
		Cures:  []string{"num-workers-zero", "hf-dataloader-workers", "tts-in-data-path", "feature-recompute"},
		WhatIf: []string{"loader=8", "loader=free"},
	}
	WorkersTooSlow = Rule{
		Name: "workers-too-slow", Severity: Error, Subject: Loading, Areas: []Area{DataArea},
		Title: "the DataLoader workers do not keep up",
		Why: "A step takes as long as the slower of two things: preparing a batch, divided " +
			"by the number of workers, or computing it.",
		Advice: "Do less work per sample, use more workers where there are cores for them, and " +
			"a larger prefetch_factor where batches are uneven.",
		Cures:  []string{"tts-in-data-path", "feature-recompute", "prefetch-factor", "worker-thread-oversubscription"},
		WhatIf: []string{"loader=free"},
	}
	PageableCopies = Rule{
		Name: "pageable-copies", Severity: Warning, Subject: Copies, Areas: []Area{TransferArea}, NeedsGPU: true,
		Title:  "batches are copied to the GPU from pageable memory",
		Why:    "A copy from pageable memory goes through a staging buffer, makes the host wait and cannot overlap compute.",
		Advice: "Let the DataLoader pin its batches (pin_memory=True) and copy with non_blocking=True.",
		Cures:  []string{"no-pin-memory", "blocking-h2d"},
		WhatIf: []string{"copies=pinned"},
	}
)
