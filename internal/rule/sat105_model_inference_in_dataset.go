package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// modelInDataPath finds neural networks that run while the data is loaded.
var modelInDataPath = Rule{
	Code: "SAT105", Name: "model-inference-in-dataset", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a neural network runs while loading data",
	What:  "A dataset, collate function or transform runs a pretrained model, pipeline or encoder on its samples.",
	Why: "The network runs one sample at a time on the CPU. On the GPU it competes with training and rules out " +
		"worker processes, which cannot use CUDA after a fork.",
	Fine: "Tiny networks on the CPU. Inputs that are augmented before the network.",
	Advice: "Run the model once over the dataset in large batches. Store its output (embeddings, latents, " +
		"transcripts) and load that.",
	Bad:  "def __getitem__(self, i):\n    return self.encoder(self.images[i]).latent_dist.sample()",
	Good: "def __getitem__(self, i):\n    return self.latents[i]  # written once by the encoder",
	Source: func(p *SourcePass) {
		for _, call := range p.inferences() {
			path, ok := p.everySample(call)
			if ok && !p.RandomInto(path, call) {
				p.Report(call, path.Sure).Because(path)
			}
		}
	},
}

// inferences are the calls that run a model: of its object, and of the methods
// that libraries give it.
func (p *SourcePass) inferences() []Call {
	list := p.InstanceCalls("transformers.PreTrainedModel")
	for _, c := range p.MethodCalls("generate", "encode", "transcribe", "get_image_features", "get_text_features",
		"extract_features", "encode_batch") {
		v := p.Eval(c.Receiver())
		speaks := c.Calls.Name != "" && slices.Contains(synthesisers, c.Calls.Name)
		if !speaks && v.Kind == project.Instance && v.Class == nil &&
			v.IsInstance("transformers.PreTrainedModel", "sentence_transformers.SentenceTransformer",
				"whisper.model.Whisper", "faster_whisper.WhisperModel", "diffusers.AutoencoderKL", "speechbrain.inference.EncoderClassifier") {
			list = append(list, c)
		}
	}
	for _, c := range p.CallsTo("transformers.pipeline()", "torch.hub.load()", "torch.nn.Module") {
		if c.Calls.Kind != project.Instance || c.Calls.Made == nil {
			continue
		}
		task, _ := (Call{c.Calls.Made, p}).Arg("task").Str()
		if !strings.HasPrefix(task, "text-to-") {
			list = append(list, c)
		}
	}
	return inOrder(list)
}
