package offline

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
	"saturate/internal/rule"
	"saturate/internal/run"
)

// Options say how the project is trained.
type Options struct {
	// Command is what the user trains with: python train.py --size tiny. It stands in the command that makes the
	// files; empty means the first file of the project that trains.
	Command []string
	// Vendor writes the code that the program needs into the project, instead of importing it from saturate_gpu.
	Vendor bool
	// Costs are what a run spent the time on in which it made samples; empty where that is not known.
	Costs []run.Function
}

// Repair is work that is done once instead of in every epoch.
type Repair struct {
	Title string      `json:"title"`
	Once  string      `json:"once,omitempty"` // what is done once, where it is not speech or features
	Patch patch.Patch `json:"patch"`          // of existing files; empty if nothing could be fixed
	// NewFiles are to be written before the commands are run.
	NewFiles []File `json:"new_files"`
	// Prepare are the commands that make the files, in order, from the folder where training is started:
	// for a project that was loaded by its whole path, its root.
	Prepare []Command `json:"prepare"`
	// Folders are those that the commands make, with the files that are kept.
	Folders []string `json:"folders"`
	// Mel tells that some features are Whisper's, which `saturate mel` can build: Prepare takes --features then, and what
	// became of them is in the file Made.
	Mel  bool   `json:"mel,omitempty"`
	Made string `json:"made,omitempty"`
	// Kept tells what is kept, and by what it is found again.
	Kept []Kept `json:"kept"`
	// Instructions say in words what to run, Notes what a reader of the change should know.
	Instructions []string `json:"instructions"`
	Notes        []string `json:"notes,omitempty"`
	// Findings are those that the repair settles.
	Findings []finding.Finding `json:"findings"`
	// Share is how much of the time to make samples is saved, as measured; 0 where that is not known.
	Share float64 `json:"share,omitempty"`
}

// Made is what the script says, in the file Made of a Repair, about the features of a place.
type Made struct {
	By  string `json:"by"`
	Why string `json:"why"` // where it is not ByMel
	// Largest is the largest difference between what saturate mel built and what the project's own code gives, in the
	// samples that were compared.
	Largest float64 `json:"largest_difference"`
}

// ByMel is who made features that saturate mel built.
const ByMel = "saturate mel"

// File is a file to be written.
type File struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Command is one command to run once.
type Command struct {
	Words []string `json:"words"`
	Why   string   `json:"why"`
}

// Kept is one value that is kept.
type Kept struct {
	Place  string           `json:"place"` // speech, features, audio: the folder of its files
	Where  finding.Location `json:"where"`
	Inputs []string         `json:"inputs"`          // Python expressions that decide it
	Drawn  []string         `json:"drawn,omitempty"` // random choices among the inputs, all of whose outcomes are kept
}

// Refusal is a finding that is not repaired: why, and what to do by hand.
type Refusal struct {
	Finding      finding.Finding `json:"finding"`
	Reason       string          `json:"reason"`
	Instructions []string        `json:"instructions,omitempty"`
	Scaffold     []File          `json:"scaffold,omitempty"`
}

// kind is what is kept. Speech comes first, then what may be made of it.
type kind = rule.Product

const (
	speech   = rule.Speech
	audio    = rule.Audio
	features = rule.Features
	images   = rule.Images
	prepared = rule.Product("samples") // the functions that a run spent its time on
)

// kindOf is what a finding's rule says could be made once; empty where this package repairs nothing.
func kindOf(code string) kind {
	if r := rule.Find(code); r != nil {
		return r.Makes
	}
	return ""
}

// Repairs reports whether findings of a code are for this package.
func Repairs(code string) bool { return kindOf(code) != "" }

// Offline makes the repair of all findings that it knows how to repair, and says why it leaves others.
func Offline(p *project.Project, findings []finding.Finding, opt Options) (Repair, []Refusal) {
	w := &work{project: p, eval: p.NewEval(), command: opt.Command, vendor: opt.Vendor}
	var cuts []*cut
	var refusals []Refusal
	for _, f := range order(findings) {
		c := w.folder(f)
		var way *way
		reason := ""
		if c == nil {
			if way, reason = w.levels(f); reason == "" {
				c, reason = w.cut(way)
			}
		}
		if reason != "" {
			refusals = append(refusals, w.refuse(f, way, reason))
			continue
		}
		if c.kind == images && !c.folder {
			w.transform(c)
		}
		if same := slices.IndexFunc(cuts, c.within); same >= 0 {
			cuts[same].findings = append(cuts[same].findings, f)
			continue
		}
		cuts = append(cuts, c)
	}
	cuts = w.join(cuts)
	for _, c := range cuts {
		w.widen(c, cuts)
	}
	cuts = apart(cuts)
	more, left := w.measured(opt.Costs, cuts)
	cuts, refusals = append(cuts, more...), append(refusals, left...)
	cuts, left = w.byRows(cuts)
	refusals = append(refusals, left...)
	if len(cuts) == 0 {
		return Repair{}, refusals
	}
	r, err := w.render(cuts)
	r.Share = w.saved(cuts, opt.Costs)
	if err != nil {
		for _, c := range cuts {
			for _, f := range c.findings {
				refusals = append(refusals, w.refuse(f, nil, err.Error()))
			}
		}
		return Repair{}, refusals
	}
	return r, refusals
}

// order leaves the findings of this package: speech first, then what may be made of it, each in order of its place.
func order(findings []finding.Finding) []finding.Finding {
	rank := map[kind]int{speech: 0, audio: 1, images: 2, features: 3}
	var list []finding.Finding
	for _, f := range findings {
		if Repairs(f.Code) && f.Where != nil {
			list = append(list, f)
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if x, y := rank[kindOf(a.Code)], rank[kindOf(b.Code)]; x != y {
			return x < y
		}
		if a.Where.Path != b.Where.Path {
			return a.Where.Path < b.Where.Path
		}
		return a.Where.Start < b.Where.Start
	})
	return list
}

// work is one repair in the making.
type work struct {
	project *project.Project
	eval    *project.Eval
	command []string
	vendor  bool
}

func text(m *project.Module, n interface{ Bounds() pysrc.Span }) string {
	s := n.Bounds()
	return string(m.Text[s.Start:s.End])
}

func location(m *project.Module, n interface{ Bounds() pysrc.Span }) finding.Location {
	p := m.Place(n.Bounds())
	return finding.Location{
		Path: p.Path, Start: p.Start, End: p.End, Line: p.Line, Column: p.Column,
		EndLine: p.EndLine, EndColumn: p.EndColumn, Excerpt: p.Excerpt,
	}
}

// train is the user's training program and its arguments, without the interpreter or launcher.
func (w *work) train() []string {
	for i, word := range w.command {
		if strings.HasSuffix(word, ".py") {
			return w.command[i:]
		}
		if word == "-m" && i+1 < len(w.command) && i > 0 && strings.Contains(filepath.Base(w.command[i-1]), "python") {
			return w.command[i:]
		}
	}
	best, score := "train.py", -1
	for _, m := range w.project.Modules {
		if m.Role != project.Training {
			continue
		}
		base := strings.ToLower(filepath.Base(m.Path))
		n := 0
		if m.MainGuard {
			n++
		}
		if strings.Contains(base, "train") || strings.Contains(base, "tune") {
			n += 2
		}
		if n > score {
			best, score = w.typed(m.Path), n
		}
	}
	return []string{best}
}

// python is the interpreter of the user's command.
func (w *work) python() string {
	if len(w.command) > 0 && strings.HasPrefix(filepath.Base(w.command[0]), "python") {
		return w.command[0]
	}
	return "python"
}

func (c *cut) title() string {
	return fmt.Sprintf("%s in %s", c.kind, c.fn.Title())
}
