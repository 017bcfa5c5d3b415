package project

import "strings"

// Parts of names, in lower case, that tell what something is for. Each list is here once, for all its users.
var (
	// countWords name numbers of something, not the thing itself.
	countWords = []string{"num", "n", "total", "max"}
	// loopWords name what a training loop goes over.
	loopWords = []string{
		"batch", "batches", "loader", "dataloader", "step", "steps", "iteration", "iterations", "iter",
		"minibatch", "data",
	}
	// epochWords name what counts epochs.
	epochWords = []string{"epoch", "epochs", "ep"}
	// collatorWords name classes that make a batch of samples.
	collatorWords = []string{"collator", "collate", "collater"}

	evaluationWords = []string{
		"eval", "evaluate", "evaluation", "evaluator", "val", "valid", "validate", "validation", "dev", "test", "testing",
		"infer", "inference", "predict", "prediction", "demo",
	}

	// A name of stepWords counts steps, unless one of notStepWords is in it: batch_size,
	// steps_per_epoch, and Lightning's optimizer_idx, which takes each value in every step.
	stepWords    = []string{"step", "steps", "iter", "iteration", "batch", "idx", "i", "it"}
	notStepWords = []string{"size", "per", "optimizer"}

	// accumulationWords name how many steps share one update: step % accumulation_steps.
	accumulationWords = []string{"accum", "accumulation", "accumulate", "acc"}

	// debugWords and notTrainingWords are in the names of flags that training leaves off.
	debugWords       = []string{"debug", "profile", "profiling", "verbose", "dry"}
	notTrainingWords = []string{
		"reverse", "inverse", "infer", "inference", "print", "plot", "show", "visualize", "vis", "dump", "export", "onnx",
		"jit", "scripting", "tracing", "mps",
	}
	// nowWords beside one of periodicWords ask whether it is time: should_log, do_eval.
	periodicWords = []string{"log", "logging", "eval", "evaluate", "validate", "validation", "save", "checkpoint"}
	nowWords      = []string{"should", "do", "now", "to", "run", "need"}

	lossWords  = []string{"loss", "losses", "logits"}
	modelWords = []string{"model", "net", "network", "criterion", "generator", "discriminator", "encoder", "decoder"}
)

// endsInWord reports a name whose last word is one of those: vae_loss, and not loss_scale.
func endsInWord(name string, words ...string) bool {
	if i := strings.LastIndexByte(name, '_'); i >= 0 {
		name = name[i+1:]
	}
	return HasWord(name, words...)
}

// HasWord reports whether a name written in snake_case, kebab-case or CamelCase
// has one of the words, which are lower case.
func HasWord(name string, words ...string) bool {
	shortest, firsts := len(name)+1, uint32(0) // of the words: the letters that they start with
	for _, w := range words {
		shortest = min(shortest, len(w))
		firsts |= 1 << (w[0] & 31)
	}
	if len(name) < shortest {
		return false
	}
	start := 0
	for i := 0; i <= len(name); i++ {
		next := i // where the word after this one starts
		if i < len(name) {
			c := name[i]
			switch {
			case c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9':
				next = i + 1
			case c >= 'A' && c <= 'Z' && i > start && (name[i-1] < 'A' || name[i-1] > 'Z'):
			default:
				continue
			}
		}
		if word := name[start:i]; len(word) >= shortest && firsts&(1<<(word[0]&31)) != 0 {
			for _, w := range words {
				if len(w) == len(word) && strings.EqualFold(w, word) {
					return true
				}
			}
		}
		start = next
	}
	return false
}
