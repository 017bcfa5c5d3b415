package rule

import (
	"strings"

	"saturate/internal/pysrc"
)

// folderListedPerSample finds file systems that are searched for the files of every sample.
var folderListedPerSample = Rule{
	Code: "SAT131", Name: "folder-listed-per-sample", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a folder is listed for every sample",
	What: "A dataset, collate function or transform lists a folder or searches one by a pattern for each sample: " +
		"os.listdir, os.walk, glob.glob, Path.glob, Path.iterdir.",
	Why: "Reading a folder takes as long as it has entries, on a network drive many milliseconds, and every epoch " +
		"repeats it.",
	Fine:   "Folders that change during training.",
	Advice: "List the folders once in __init__ and keep the paths of each sample.",
	Bad: "def __getitem__(self, i):\n    image = next(self.folder.glob(self.names[i] + \".*\"))\n    " +
		"return load(image)",
	Good: "def __init__(self, folder):\n    self.files = sorted(folder.glob(\"*.*\"))\n\n" +
		"def __getitem__(self, i):\n    return load(self.files[i])",
	Source: func(p *SourcePass) {
		for _, call := range p.listings() {
			path, ok := p.EverySample(call)
			if !ok || p.readsListed(call) {
				continue
			}
			if name := call.Name(); p.ConstantArguments(path, call) && (strings.HasPrefix(name, "os.") || strings.HasPrefix(name, "glob.")) {
				continue // the same folder each time: SAT106
			}
			p.Report(call, likely*path.Sure).Because(path)
		}
	},
}

// listings are the calls that read a folder.
func (p *SourcePass) listings() []Call {
	list := p.CallsTo("os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob")
	for _, c := range p.MethodCalls("glob", "rglob", "iterdir") {
		if on := p.Eval(c.Receiver()); on.Name == "" || strings.HasPrefix(on.Name, "pathlib.") {
			list = append(list, c)
		}
	}
	return inOrder(list)
}

// readsListed reports a listing whose files the function then goes over, one after the other: reading them takes far longer.
func (p *SourcePass) readsListed(listing Call) bool {
	assign, ok := p.Module.StatementAt(listing.Node.Start).(*pysrc.Assign)
	fn := p.Function(listing)
	if !ok || len(assign.Targets) != 1 || fn.Def == nil {
		return false
	}
	name, ok := assign.Targets[0].(*pysrc.Name)
	if !ok {
		return false
	}
	for _, s := range fn.Sites {
		if loop, ok := p.LoopAround(s).(*pysrc.For); ok && takesLong(s) && loop.Start > listing.Node.End && mentionsName(loop.Iter, name.ID) {
			return true
		}
	}
	return false
}
