package probe

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/run"
)

// insides are the parts of a step whose time functions are named for, and what each is called there. The model's own
// parts (forward, backward, optimizer) are for a trace to explain.
var insides = map[string]string{
	"data": "data", "evaluation": "evaluation", "checkpoint": "checkpoint",
	"logging": "logging", run.Other: "host",
}

// worthListing is the share of its part from which on a function is listed.
const worthListing = 0.01

// function is one function inside one part.
type function struct {
	name, path string
	project    bool
	whole, own float64         // seconds, with and without other functions of the project
	lines      map[int]float64 // seconds of whole
	libraries  map[string]float64
}

// functions names what costs the time of each part, the costliest part first.
func (p profile) functions(steps []run.Step) (all []run.Function) {
	loop := p.loop()
	for phase, inside := range insides {
		seen := map[string]*function{}
		total := 0.0
		for _, l := range p {
			if l.phase == phase {
				total += l.seconds
				l.count(seen)
			}
		}
		part := partOfTraining(steps, phase)
		for _, key := range slices.Sorted(maps.Keys(seen)) {
			f := seen[key]
			// A function outside the loop belongs here as a whole, with all it calls: evaluate, save_checkpoint.
			apart := f.project && !loop[key] && f.whole >= total/10
			if f.own < worthListing*total && !apart {
				continue
			}
			all = append(all, run.Function{
				Function: f.name, Path: f.path, Line: heaviest(f.lines), Inside: inside, Library: f.library(),
				Share: f.whole / total, Own: f.own / total, Training: part * f.whole / total, Entry: apart && f.whole >= 0.9*total,
			})
		}
	}
	slices.SortStableFunc(all, func(a, b run.Function) int {
		return cmp.Or(cmp.Compare(insideShare(all, b.Inside), insideShare(all, a.Inside)), cmp.Compare(a.Inside, b.Inside),
			cmp.Compare(b.Own, a.Own), cmp.Compare(b.Share, a.Share))
	})
	return all
}

// loop are the functions of the training loop itself: those that the model runs in.
func (p profile) loop() map[string]bool {
	loop := map[string]bool{}
	for _, l := range p {
		if insides[l.phase] == "" {
			for _, f := range l.frames {
				loop[f.key()] = true
			}
		}
	}
	return loop
}

func insideShare(all []run.Function, inside string) (most float64) {
	for _, f := range all {
		if f.Inside == inside && f.Share > 0 {
			most = max(most, f.Training/f.Share)
		}
	}
	return most
}

func (f frame) key() string { return f.function + "\x00" + f.path }

// count adds a look to the functions of its part.
func (l look) count(seen map[string]*function) {
	frames := l.frames
	if l.phase == "data" {
		frames = frames[min(l.below, len(frames)):] // what stands above asks for the batch, and does not make it
	}
	get := func(f frame) *function {
		one := seen[f.key()]
		if one == nil {
			one = &function{
				name: f.function, path: f.path, project: f.project, lines: map[int]float64{},
				libraries: map[string]float64{},
			}
			seen[f.key()] = one
		}
		return one
	}
	counted := map[string]bool{}
	innermost := -1
	for i, f := range slices.Backward(frames) {
		if !f.project {
			continue
		}
		if innermost < 0 {
			innermost = i
		}
		if !counted[f.key()] { // which calls itself, say
			counted[f.key()] = true
			one := get(f)
			one.whole += l.seconds
			one.lines[f.line] += l.seconds
		}
	}
	if innermost < 0 { // libraries alone
		if len(frames) == 0 {
			frames = l.frames
		}
		if len(frames) == 0 {
			return
		}
		f := frames[len(frames)-1]
		for _, outer := range frames {
			if !strings.HasPrefix(outer.path, "torch/utils/data/") {
				f = outer
				break
			}
		}
		f.function = f.dotted()
		one := get(f)
		one.whole, one.own = one.whole+l.seconds, one.own+l.seconds
		one.lines[f.line] += l.seconds
		return
	}
	one := get(frames[innermost])
	one.own += l.seconds
	if innermost+1 < len(frames) {
		one.libraries[frames[innermost+1].dotted()] += l.seconds
	}
}

// dotted is a library's function with its module.
func (f frame) dotted() string {
	module := strings.TrimSuffix(strings.TrimSuffix(f.path, ".py"), "/__init__")
	if strings.HasPrefix(module, "<") || path.IsAbs(module) {
		return f.function
	}
	return strings.ReplaceAll(module, "/", ".") + "." + f.function
}

// library is what more than half of the function's time is spent in, and not in other functions of the project.
func (f *function) library() string {
	for name, seconds := range f.libraries {
		if seconds > f.whole/2 {
			return name
		}
	}
	return ""
}

func heaviest(lines map[int]float64) (line int) {
	most := -1.0
	for _, at := range slices.Sorted(maps.Keys(lines)) {
		if lines[at] > most {
			line, most = at, lines[at]
		}
	}
	return line
}

// counts reports whether a step is like those that the stacks were looked at in.
func counts(s run.Step) bool {
	return s.Index > 1 && !slices.ContainsFunc(s.Tags, func(tag string) bool { return tag == "warmup" || tag == "profiled" || tag == "recompilation" })
}

// partOfTraining is the share of a part in the time of the steps, with evaluations, checkpoints and first steps of
// epochs.
func partOfTraining(steps []run.Step, part string) float64 {
	seconds, whole := 0.0, 0.0
	for _, s := range steps {
		if !counts(s) {
			continue
		}
		whole += s.Seconds
		seconds += s.Part(part)
	}
	if whole == 0 {
		return 0
	}
	return seconds / whole
}

// insideOf is where the functions are that explain a bottleneck.
var insideOf = map[string]string{
	"data_loading": "data", "epoch_start": "data", "evaluation": "evaluation",
	"checkpoint": "checkpoint", "logging": "logging", "host_python": "host",
}

// Named says which function costs most of the bottleneck: "71% of that is BPE.encode, collate.py:14."; empty where that
// is not known.
func (e Explanation) Named(functions []run.Function) string {
	f, known := Costliest(functions, insideOf[e.Bottleneck])
	if !known {
		return ""
	}
	return fmt.Sprintf("%s of that is %s.", human.Percent(f.Share), Place(f))
}

// Costliest is the function that costs most of a part.
func Costliest(functions []run.Function, inside string) (run.Function, bool) {
	at := slices.IndexFunc(functions, func(f run.Function) bool { return f.Inside == inside && inside != "" })
	if at < 0 {
		return run.Function{}, false
	}
	return functions[at], true
}

// Place names a function and its line: "BPE.encode [json.loads], collate.py:14".
func Place(f run.Function) string {
	name := f.Function
	if f.Library != "" {
		name += " [" + f.Library + "]"
	}
	return fmt.Sprintf("%s, %s:%d", name, f.Path, f.Line)
}
