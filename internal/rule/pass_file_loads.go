package rule

import (
	"regexp"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// fileLoads are the calls that read a file or what a hub keeps, in order.
func (p *SourcePass) fileLoads() []Call {
	list := append(p.CallsTo(loaders...), p.pathObjects()...)
	for _, c := range p.MethodCalls("from_pretrained") {
		if c.Calls.Func == nil && c.Calls.Class == nil {
			list = append(list, c)
		}
	}
	for _, c := range p.MethodCalls("load", "load_model", "from_file", "load_from_checkpoint") {
		if c.loadsObject() {
			list = append(list, c)
		}
	}
	for _, c := range p.MethodCalls("read_text", "read_bytes") {
		if readsPath(c) {
			list = append(list, c)
		}
	}
	for _, c := range p.CallsTo(openers...) {
		mode, _ := c.Arg("mode").Str()
		if len(c.Node.Args) > 1 {
			mode, _ = c.ArgAt(1).Str()
		}
		if !strings.ContainsAny(mode, "wax") {
			list = append(list, c)
		}
	}
	return inOrder(list)
}

var loaders = []string{
	"json.load", "pickle.load", "yaml.load", "yaml.safe_load", "tomllib.load", "omegaconf.OmegaConf.load", "joblib.load", "numpy.load", "numpy.loadtxt", "numpy.genfromtxt",
	"numpy.fromfile", "torch.load", "torch.jit.load", "torch.hub.load", "safetensors.torch.load_file",
	"pandas.read_csv", "pandas.read_json", "pandas.read_parquet", "pandas.read_pickle", "pandas.read_excel",
	"pandas.read_table", "pandas.read_hdf", "pandas.read_feather", "polars.read_csv", "polars.read_parquet", "polars.read_json",
	"h5py.File", "lmdb.open", "zarr.open", "tables.open_file", "scipy.io.loadmat", "sqlite3.connect",
	"pyarrow.parquet.read_table",
	"cv2.imread", "PIL.Image.open", "imageio.imread", "skimage.io.imread", "torchvision.io.read_image", "torchvision.io.decode_image",
	"librosa.load", "soundfile.read", "torchaudio.load", "spacy.load", "whisper.load_model", "datasets.load_dataset",
	"sentencepiece.SentencePieceProcessor", "sentence_transformers.SentenceTransformer", "tokenizers.Tokenizer.from_file",
	"evaluate.load", "fasttext.load_model", "gensim.models.KeyedVectors.load_word2vec_format", "gensim.models.KeyedVectors.load",
	"gensim.models.Word2Vec.load", "faiss.read_index", "onnxruntime.InferenceSession", "cv2.CascadeClassifier",
	"cv2.dnn.readNet", "cv2.dnn.readNetFromCaffe", "cv2.dnn.readNetFromONNX", "dlib.shape_predictor", "dlib.get_frontal_face_detector",
	"nltk.data.load", "tarfile.open", "nibabel.load", "trimesh.load", "xarray.open_dataset", "rasterio.open", "duckdb.connect",
	"pyarrow.feather.read_table", "kenlm.Model", "ctranslate2.Translator", "yaml.full_load", "PIL.ImageFont.truetype",
	"faster_whisper.WhisperModel", "vosk.Model", "TTS.api.TTS", "kokoro.KPipeline", "llama_cpp.Llama",
	"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob",
}

// loadsObject reports a class of a library that makes an object of a file: PiperVoice.load(path).
func (c Call) loadsObject() bool {
	receiver := c.Receiver()
	if receiver == nil || len(c.Node.Args) == 0 || slices.Contains(loaders, c.Name()) {
		return false
	}
	v := c.pass.Eval(receiver)
	class := lastName(receiver)
	return v.Class == nil && v.Func == nil && v.Module == nil && strings.Contains(v.Name, ".") && !strings.HasSuffix(v.Name, ")") &&
		v.Kind != project.Instance && v.Kind != project.Package && class != "" && class[0] >= 'A' && class[0] <= 'Z' && strings.ToUpper(class) != class
}

// staysOpen are handles that must not be shared with workers through __init__.
var staysOpen = map[string]bool{
	"h5py.File": true, "lmdb.open": true, "zarr.open": true, "tables.open_file": true, "sqlite3.connect": true,
	"tarfile.open": true, "duckdb.connect": true, "xarray.open_dataset": true, "rasterio.open": true,
}

// openers open a file to read it, or to write it.
var openers = []string{"open", "io.open", "gzip.open", "bz2.open", "lzma.open", "codecs.open"}

// pathObjects are constructions of classes of libraries that are given the path of a file first, and read it then:
// COCO(self.annotations), zipfile.ZipFile(self.archive).
func (p *SourcePass) pathObjects() (list []Call) {
	for _, s := range p.Module.Sites {
		if s.Calls.Kind != project.Type || s.Calls.Class != nil || len(s.Node.Args) == 0 || slices.Contains(loaders, s.Calls.Name) {
			continue
		}
		switch library, _, outside := strings.Cut(s.Calls.Name, "."); library {
		case "pathlib", "os", "logging", "torch", "str", "io", "datetime", "collections", "omegaconf", "easydict", "string", "random":
			continue // which read nothing of it, or are not a file's
		default:
			if !outside { // ValueError("… .float32")
				continue
			}
		}
		if _, sample := p.PerSample(s); sample && p.isFilePath(p.Eval(s.Node.Args[0])) {
			list = append(list, Call{s, p})
		}
	}
	return list
}

// isFilePath reports a value that names a file: the path that os.path.join makes, or a text with a suffix.
func (p *SourcePass) isFilePath(v Value) bool {
	if slices.ContainsFunc(v.Either, p.isFilePath) {
		return true
	}
	text, known := v.Str()
	if joined, ok := v.Expr.(*pysrc.JoinedStr); ok && v.Kind == project.Display && len(joined.Values) > 0 {
		text, known = pysrc.StringValue(joined.Values[len(joined.Values)-1])
	}
	return v.Name == "os.path.join()" || known && fileSuffix.MatchString(text)
}

var fileSuffix = regexp.MustCompile(`^\S*\.[A-Za-z][A-Za-z0-9]{1,6}$`)

// readsPath reports a call by which pathlib reads a whole file: path.read_text().
func readsPath(c Call) bool {
	switch c.Method() {
	case "read_text", "read_bytes":
		return c.Calls.Func == nil && c.Receiver() != nil
	}
	return false
}

// samePlace reports a load whose file is the same each time the path comes to it.
func (p *SourcePass) samePlace(path project.Path, c Call) bool {
	if readsPath(c) && !p.constantOnPath(path, len(path.Calls), c, c.Receiver()) {
		return false
	}
	if strings.HasPrefix(c.Name(), "pandas.read_") || strings.HasPrefix(c.Name(), "polars.read_") {
		file := firstArg(c.Node) // whichever columns of it are asked for
		return file != nil && p.constantOnPath(path, len(path.Calls), c, file)
	}
	return p.ConstantArguments(path, c)
}

// loadedAgain reports what training steps load from the same file or hub each time: a tokenizer, a table, a teacher.
func (p *SourcePass) loadedAgain() {
	seen := map[*project.Function]bool{}
	for _, c := range p.fileLoads() {
		if _, sample := p.PerSample(c); sample || seen[c.Func] || c.Func.BaseName() == "__init__" || cached(c.Func) || p.readsPart(c) ||
			inHandler(p.Module, c) || p.keptInDict(c) || !p.loadsSame(c) {
			continue
		}
		way, ok := p.EachStep(c)
		if !ok || p.keptOnTheWay(way, c) || p.writtenBySample(way, c) || p.storedByObject(c.Site) {
			continue
		}
		seen[c.Func] = true
		p.Report(c, likely*way.Sure).Because(way).Saying("%s loads the same in every training step", p.Short(c.Callee())).
			Advising("Load it once, in __init__ or before the training loop.")
	}
}

// loadsSame reports a load that is given the same in every training step.
func (p *SourcePass) loadsSame(c Call) bool {
	given := argumentsOf(c.Node)
	if readsPath(c) {
		given = append(given, c.Receiver())
	}
	return len(given) > 0 && !slices.ContainsFunc(given, func(a pysrc.Expr) bool { return p.eval.Steady(p.Module, a) != project.Always })
}
