package rule

// Where a value cannot be followed, a name has to do. These are the words that count, in one place; see
// [project.HasWord].
var (
	// mediaWords name columns whose rows are costly to decode.
	mediaWords = []string{"audio", "image", "images", "video", "speech", "pixel"}
	// splitWords name the splits of a dataset.
	splitWords = []string{"train", "test", "validation", "valid", "val", "dev", "eval", "unsupervised", "all"}
	// indexWords name numbers of rows.
	indexWords = []string{"i", "j", "k", "idx", "index", "n", "ix"}
	// batchingWords name datasets that make batches themselves.
	batchingWords = []string{"batch", "batched", "iterable", "stream", "bucket"}
	// batchSizeWords name options that set the size of a batch.
	batchSizeWords = []string{"batch", "batchsize"}
	// evaluationKeys name sections of settings that are not about training.
	evaluationKeys = []string{
		"eval", "evaluation", "val", "valid", "validation", "test", "dev", "infer", "inference", "predict",
		"decode",
	}
	// inputWords name inputs of JAX programs.
	inputWords = []string{"ds", "dataset", "data", "tf", "tfds", "train"}
	// heldOutWords name data that is not trained on.
	heldOutWords = []string{"test", "val", "valid", "validation", "eval", "dev"}
	// criterionWords name functions that give a loss.
	criterionWords = []string{"criterion", "loss", "crit"}
	// stateWords name what a JAX step takes and gives back.
	stateWords = []string{"state", "params", "parameters", "opt", "weights"}
	// loggerWords name objects that log.
	loggerWords = []string{"logger", "log", "logging", "console"}
	// writerWords name objects that write logs to files.
	writerWords = []string{"writer", "sw", "tb", "logger", "tensorboard", "experiment", "summary", "board"}
	// trainingWords name loaders that feed training.
	trainingWords = []string{
		"train", "training", "trainer", "trainset", "fit", "finetune", "pretrain", "loaders", "dataloaders",
	}
	// searchingWords name classes that decode rather than train.
	searchingWords = []string{
		"beam", "search", "searcher", "greedy", "decoding", "post", "postprocess", "postprocessor",
	}
	// convolutionalWords name models made of convolutions.
	convolutionalWords = []string{
		"resnet", "resnext", "resnetv", "densenet", "efficientnet", "regnet", "vgg", "mobilenet", "convnext",
		"wide", "inception", "squeezenet", "shufflenet", "googlenet", "unet",
	}
	// dataSetWords name datasets of the datasets library.
	dataSetWords = []string{"dataset", "datasets", "ds", "data", "train", "corpus", "split", "cv", "voice"}
	// batchWords name functions that give a batch, together with takingWords.
	batchWords  = []string{"batch", "batches", "fetch"}
	takingWords = []string{"get", "next", "load", "fetch", "sample"}
)
