package rule

// remoteIOPerSample finds requests over the network for every sample.
var remoteIOPerSample = Rule{
	Code: "SAT102", Name: "remote-io-per-sample", Severity: Error,
	Areas:  []Area{DataArea, WorkersArea},
	Title:  "every sample is fetched over the network",
	What:   "A request (HTTP, S3, Google Cloud, Hugging Face Hub, a database) that a data set, collate function or transform makes for each sample, in any file, and does not keep.",
	Why:    "Each sample waits for a round trip, its slowest requests hold up whole batches, and every epoch pays again.",
	Fine:   "Streams made for it (WebDataset shards, fsspec with a cache); a file that is kept after the first time.",
	Advice: "Fetch the files once before training and read them from the local disk, or pack them into shards and stream those.",
	Bad:    "def __getitem__(self, i):\n    return decode(requests.get(self.urls[i]).content)",
	Good:   "def __getitem__(self, i):\n    return decode(self.files[i].read_bytes())  # downloaded once",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo(remoteCalls...) {
			if path, ok := p.EverySample(call); ok && !p.asksForSpeech(call) {
				r := p.Report(call, path.Sure).Because(path)
				if p.underTest(call) {
					r.At(Warning).Saying("samples that are given by an address are fetched over the network, again in every epoch")
				}
			}
		}
	},
}
