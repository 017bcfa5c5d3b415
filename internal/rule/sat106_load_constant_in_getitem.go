package rule

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// loadConstantInGetitem finds files that are read anew for every sample though they are always the same.
var loadConstantInGetitem = Rule{
	Code: "SAT106", Name: "load-constant-in-getitem", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "the same file is loaded for every sample",
	What: "A dataset, collate function or transform opens a file, table or pretrained tokenizer, or lists a folder, for each " +
		"sample, from a path that does not depend on the sample.",
	Why: "The file does not depend on the sample, so loading it once is enough. Here it is loaded again for each " +
		"sample.",
	Fine: "A handle that is opened on first use and kept: the right way for HDF5 and LMDB with workers.",
	Advice: "Load it once in __init__. Open HDF5 or LMDB on first use and keep the handle: if self.file is None: " +
		"self.file = h5py.File(self.path).",
	Bad: "def __getitem__(self, i):\n    table = pd.read_csv(self.path)\n    return table.text[i]",
	Good: "def __init__(self, path):\n    self.table = pd.read_csv(path)\n\ndef __getitem__(self, i):\n    " +
		"return self.table.text[i]",
	Safety: Safe, AtWorst: Unsafe,
	Source: func(p *SourcePass) {
		var last pysrc.Span
		for _, call := range p.fileLoads() {
			path, ok := p.EverySample(call)
			if !ok || call.Node.Start < last.End || !p.samePlace(path, call) || p.readsPart(call) || p.writtenBySample(path, call) ||
				cached(call.Func) || p.keptOnTheWay(path, call) {
				continue
			}
			last = call.Node.Span
			r := p.Report(call, path.Sure).Because(path)
			switch name := call.Name(); {
			case strings.HasSuffix(name, ".from_pretrained") && call.Receiver() != nil:
				r.Saying("%s is loaded for every sample", lastName(call.Receiver())).
					Fix(Safe, "load it once in __init__", p.Hoist(call.Node, snakeCase(lastName(call.Receiver())))...)
			case strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "glob."):
				r.Saying("the same folder is listed for every sample")
			case !slices.Contains(openers, name) && !staysOpen[name] && (slices.Contains(loaders, name) || readsPath(call)) && p.ConstantArguments(path, call):
				r.Fix(Unsafe, "load it once in __init__; unsafe if something modifies it in place", p.Hoist(call.Node, p.targetName(call, "loaded"))...)
			}
		}
	},
}

// readsPart reports a file that is opened to be read at a place of the sample's,
// and one that was opened by another call, which is the one to name.
func (p *SourcePass) readsPart(c Call) bool {
	if readsPipe(c) {
		return true
	}
	switch c.Name() {
	case "open":
		for _, s := range c.Func.Sites {
			if m := s.Method(); m == "seek" || m == "readline" {
				return true
			}
		}
	case "json.load", "pickle.load", "yaml.load", "yaml.safe_load":
		_, opened := firstArg(c.Node).(*pysrc.Name) // none in json.load(fp=file)
		return opened
	}
	return false
}

// targetName is the variable that a call's result is assigned to, or another name.
func (p *SourcePass) targetName(c Call, other string) string {
	if a, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign); ok && len(a.Targets) == 1 &&
		a.Value == pysrc.Expr(c.Node) {
		if n, ok := a.Targets[0].(*pysrc.Name); ok {
			return n.ID
		}
	}
	return other
}
