package rule

// remoteIOPerSample finds requests over the network for every sample.
var remoteIOPerSample = Rule{
	Code: "SAT102", Name: "remote-io-per-sample", Severity: Error, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "every sample is fetched over the network",
	What: "A dataset, collate function or transform makes a request for each sample (HTTP, S3, Google Cloud, " +
		"Hugging Face Hub, a database) and does not keep the result.",
	Why: "Each sample waits for a network round trip, one slow request delays its whole batch, and every epoch " +
		"fetches again.",
	Fine: "Formats made for streaming (WebDataset shards, fsspec with a cache). Files that are kept after the " +
		"first download.",
	Advice: "Download the files once before training and read them from the local disk, or pack them into shards " +
		"and stream those.",
	Bad:  "def __getitem__(self, i):\n    return decode(requests.get(self.urls[i]).content)",
	Good: "def __getitem__(self, i):\n    return decode(self.files[i].read_bytes())  # downloaded once",
	Source: func(p *SourcePass) {
		for _, call := range p.CallsTo(remoteCalls...) {
			if path, ok := p.EverySample(call); ok && !p.asksForSpeech(call) {
				r := p.Report(call, path.Sure).Because(path)
				if p.underTest(call) {
					r.At(Warning).Saying("samples given as URLs are fetched over the network in every epoch")
				}
			}
		}
	},
}
