package project

import (
	"slices"
	"strings"
	"unicode"
)

// canonical gives the one name that rules use for a name of a library: where a
// library has the same thing in several places, the place its documentation names.
func canonical(name string) string {
	for i := 0; i < 3; i++ { // an alias may lead to another
		next := canonicalOnce(name)
		if next == name {
			break
		}
		name = next
	}
	return name
}

func canonicalOnce(name string) string {
	if to, ok := aliases[name]; ok {
		return to
	}
	// torch.nn.modules.transformer.MultiheadAttention is torch.nn.MultiheadAttention.
	if layer, ok := strings.CutPrefix(name, "torch.nn.modules."); ok {
		if file, rest, ok := strings.Cut(layer, "."); ok && !isClassName(file) && isClassName(firstOf(rest)) {
			return "torch.nn." + rest
		}
	}
	for cut := len(name); cut > 0; cut = strings.LastIndexByte(name[:cut], '.') {
		if to, ok := movedPackages[name[:cut]]; ok {
			return to + name[cut:]
		}
	}
	// transformers.models.whisper.modeling_whisper.WhisperModel is transformers.WhisperModel.
	if rest, ok := strings.CutPrefix(name, "transformers.models."); ok {
		if i := strings.LastIndexByte(rest, '.'); i > 0 && isClassName(rest[i+1:]) {
			return "transformers" + rest[i:]
		}
	}
	return name
}

// isClassName reports a name written as classes are: an upper case letter
// first, and a lower case one somewhere.
func isClassName(s string) bool {
	s = strings.TrimLeft(s, "_")
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	if len(s) <= 4 {
		return true // SGD, LSTM, GRU, DDP
	}
	return strings.ContainsFunc(s, unicode.IsLower)
}

// libraryKind tells what a library's name most likely is.
func libraryKind(name string) Kind {
	if isClassName(LastOf(name)) || lowerCaseClasses[name] {
		return Type
	}
	return Callable
}

// mostAncestors limits a chain of base classes.
const mostAncestors = 10

// libraryDerives reports whether a library's class is, or derives from, one of the names.
func libraryDerives(name string, names []string) bool {
	for depth := 0; name != "" && depth < mostAncestors; depth++ {
		if contains(names, name) {
			return true
		}
		name = libraryBase(name)
	}
	return false
}

// eachLibraryAncestor visits a library's class and its base classes, nearest first.
func eachLibraryAncestor(name string, visit func(string)) {
	for depth := 0; name != "" && depth < mostAncestors; depth++ {
		visit(name)
		name = libraryBase(name)
	}
}

// libraryBase is what a library's class derives from, or nothing.
func libraryBase(name string) string {
	if base := libraryBases[name]; base != "" {
		return base
	}
	return guessBase(name)
}

// guessBase tells what a library's class derives from by its name, for the
// libraries that name them so.
func guessBase(name string) string {
	dot := strings.LastIndexByte(name, '.')
	last := name[dot+1:]
	switch {
	case dot < 0 || !isClassName(last):
		return ""
	case strings.HasPrefix(name, "torch.nn.modules.") ||
		strings.HasPrefix(name, "torch.nn.") && strings.Count(name, ".") == 2:
		if name != "torch.nn.Module" && last != "Parameter" {
			return "torch.nn.Module"
		}
	case strings.HasPrefix(name, "torch.optim.") && strings.Count(name, ".") == 2 && name != "torch.optim.Optimizer":
		return "torch.optim.Optimizer"
	case strings.HasPrefix(name, "torchvision.transforms") || strings.HasPrefix(name, "torchaudio.transforms"):
		return "torch.nn.Module"
	case isNetwork(name, last):
		return "torch.nn.Module"
	case strings.HasPrefix(name, "torchvision.datasets.") || strings.HasPrefix(name, "torchaudio.datasets."):
		return "torch.utils.data.Dataset"
	case strings.HasPrefix(name, "transformers."):
		return guessTransformers(last)
	case strings.HasPrefix(name, "trl.") && strings.HasSuffix(last, "Config"):
		return "transformers.TrainingArguments"
	case strings.HasPrefix(name, "trl.") && strings.HasSuffix(last, "Trainer"):
		return "transformers.Trainer"
	case strings.HasSuffix(last, "IterableDataset") && name != "torch.utils.data.IterableDataset":
		return "torch.utils.data.IterableDataset"
	case strings.HasSuffix(last, "Dataset") && !strings.HasPrefix(name, "datasets.") && name != "torch.utils.data.Dataset":
		return "torch.utils.data.Dataset"
	}
	return ""
}

// networkLibraries are those whose classes are networks and layers.
var networkLibraries = []string{
	"segmentation_models_pytorch.", "torch_geometric.nn.", "dgl.nn.", "monai.networks.", "timm.models.", "efficientnet_pytorch.", "vit_pytorch.",
	"x_transformers.", "performer_pytorch.", "linformer.", "encodec.", "lpips.", "torchcrf.", "TorchCRF.", "mamba_ssm.", "rotary_embedding_torch.",
	"vector_quantize_pytorch.", "spconv.pytorch.", "MinkowskiEngine.", "detectron2.modeling.", "mmcv.cnn.", "mmengine.model.",
	"mmcv.runner.BaseModule", "mmcv.runner.base_module.", "mmdet.models.", "mmdet3d.models.", "mmseg.models.", "mmcls.models.", "mmpretrain.models.",
	"mmpose.models.", "mmaction.models.", "mmrotate.models.",
	"fairseq.criterions.", "fairseq.models.", "fairseq.modules.",
}

// isNetwork reports a class of such a library, or a model of diffusers.
func isNetwork(name, last string) bool {
	if strings.HasPrefix(name, "diffusers.") {
		return strings.HasSuffix(last, "Model") || strings.HasPrefix(last, "Autoencoder") || strings.HasPrefix(last, "UNet")
	}
	return slices.ContainsFunc(networkLibraries, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

func guessTransformers(last string) string {
	for _, s := range [...]struct{ suffix, base string }{
		{"TrainingArguments", "transformers.TrainingArguments"},
		{"Trainer", "transformers.Trainer"},
		{"TokenizerFast", "transformers.PreTrainedTokenizerFast"},
		{"Tokenizer", "transformers.PreTrainedTokenizer"},
		{"FeatureExtractor", "transformers.FeatureExtractionMixin"},
		{"ImageProcessor", "transformers.FeatureExtractionMixin"},
		{"ImageProcessorFast", "transformers.FeatureExtractionMixin"},
		{"Processor", "transformers.ProcessorMixin"},
		{"Model", "transformers.PreTrainedModel"},
		{"LMHeadModel", "transformers.PreTrainedModel"},
	} {
		if strings.HasSuffix(last, s.suffix) && "transformers."+last != s.base {
			return s.base
		}
	}
	if strings.Contains(last, "For") && !strings.HasPrefix(last, "DataCollator") {
		return "transformers.PreTrainedModel" // WhisperForConditionalGeneration
	}
	if strings.HasPrefix(last, "DataCollator") && last != "DataCollator" {
		return "transformers.DataCollator"
	}
	return ""
}
