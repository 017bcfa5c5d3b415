package probe

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"saturate/internal/files"
	"saturate/internal/run"
)

// frame is a call on a stack, as py/saturate_probe/sampler.py tells it.
type frame struct {
	function string
	path     string
	project  bool // and not a library
	line     int
}

func (f *frame) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&f.function, &f.path, &f.project, &f.line})
}

// look is a stack, the outermost call first, and how long it was seen.
type look struct {
	phase   string
	seconds float64
	below   int // as many frames stand above the call that the probe wraps for this phase
	frames  []frame
}

// stacks are the looks at one process.
type stacks struct {
	frames []frame
	looks  []look
}

// toldLook is a look with the numbers of its frames.
type toldLook struct {
	look
	numbers []int
}

func (l *toldLook) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&l.phase, &l.seconds, &l.below, &l.numbers})
}

func (s *stacks) add(line []byte) error {
	var told struct {
		Frames []frame    `json:"frames"`
		Stacks []toldLook `json:"stacks"`
	}
	if err := json.Unmarshal(line, &told); err != nil {
		return err
	}
	s.frames = append(s.frames, told.Frames...)
	for _, l := range told.Stacks {
		for _, n := range l.numbers {
			if n < 0 || n >= len(s.frames) {
				return nil // a line before this one was lost
			}
			l.frames = append(l.frames, s.frames[n])
		}
		s.looks = append(s.looks, l.look)
	}
	return nil
}

// Where torch makes samples, and where the training process asks for them. Who asks without making waits for a worker.
const (
	loaderFile = "torch/utils/data/dataloader.py"
	makingFile = "torch/utils/data/_utils/fetch.py"
)

func (l look) waitsForWorker() bool {
	asks := false
	for _, f := range l.frames {
		switch f.path {
		case makingFile:
			return false
		case loaderFile:
			asks = true
		}
	}
	return asks
}

// profile is what a program was seen to do: the looks at its main process, where those that wait for a worker are
// explained by what workers did.
type profile []look

// looks puts together what the processes told. Paths inside of dir are given as seen from there.
func (f *follower) looks(dir string) (all profile) {
	made := map[string]profile{} // by workers, for training and for evaluations
	for _, t := range f.tellers {
		if t.worker == nil {
			continue
		}
		phase := "data"
		if f.helpers[t.pid] {
			phase = "evaluation"
		}
		made[phase] = append(made[phase], t.stacks.looks...)
	}
	for _, l := range f.main.stacks.looks {
		workers := made[l.phase]
		whole := workers.seconds()
		if whole == 0 || !l.waitsForWorker() {
			all = append(all, l)
			continue
		}
		for _, of := range workers {
			of.phase = l.phase
			of.seconds *= l.seconds / whole
			all = append(all, of)
		}
	}
	all = all.merged()
	for _, l := range all {
		for i := range l.frames {
			l.frames[i].path = seenFrom(dir, l.frames[i])
		}
	}
	return all
}

// merged has each stack once, in a fixed order.
func (p profile) merged() profile {
	byKey := map[string]look{}
	for _, l := range p {
		var key strings.Builder
		key.WriteString(l.phase)
		for _, f := range l.frames {
			key.WriteString("\x00" + f.function + "\x00" + f.path + "\x00" + strconv.Itoa(f.line))
		}
		one, known := byKey[key.String()]
		if !known {
			one = l
			one.frames, one.seconds = slices.Clone(l.frames), 0
		}
		one.seconds += l.seconds
		byKey[key.String()] = one
	}
	var all profile
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		all = append(all, byKey[key])
	}
	return all
}

func seenFrom(dir string, f frame) string {
	if !f.project {
		return filepath.ToSlash(f.path)
	}
	if real, folder := files.Real(f.path), files.Real(dir); files.Inside(real, folder) {
		if path, err := filepath.Rel(folder, real); err == nil {
			return filepath.ToSlash(path)
		}
	}
	return f.path
}

func (p profile) seconds() (all float64) {
	for _, l := range p {
		all += l.seconds
	}
	return all
}

// smallest is the share of the time from which on a call is kept in the Flame.
const smallest = 0.002

// node is a Flame in the making.
type node struct {
	frame
	seconds float64
	lines   map[int]float64
	calls   map[string]*node
}

func (n *node) call(f frame, seconds float64) *node {
	c := n.calls[f.key()]
	if c == nil {
		c = &node{frame: f, lines: map[int]float64{}, calls: map[string]*node{}}
		n.calls[f.key()] = c
	}
	c.seconds += seconds
	c.lines[f.line] += seconds
	return c
}

// flame is the profile as a tree: the phases, and below them the calls. Of a library, only the call from outside is
// shown.
func (p profile) flame() run.Flame {
	root := &node{frame: frame{function: "training", project: true}, calls: map[string]*node{}}
	for _, l := range p {
		root.seconds += l.seconds
		at := root.call(frame{function: l.phase, project: true}, l.seconds)
		library := false
		for _, f := range l.frames {
			if f.project || !library {
				at = at.call(f, l.seconds)
			}
			library = !f.project
		}
	}
	return root.flame(smallest * root.seconds)
}

func (n *node) flame(least float64) run.Flame {
	f := run.Flame{Name: n.function, Path: n.path, Line: heaviest(n.lines), Library: !n.project, Seconds: n.seconds}
	if !n.project {
		f.Name = n.dotted()
	}
	for _, key := range slices.Sorted(maps.Keys(n.calls)) {
		if c := n.calls[key]; c.seconds >= least {
			f.Calls = append(f.Calls, c.flame(least))
		}
	}
	slices.SortStableFunc(f.Calls, func(a, b run.Flame) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return f
}

func (w *watched) keepFlame(f run.Flame) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return w.recorder.Save(run.FlameFile, "stacks", append(data, '\n'))
}
