// Package instrument writes measuring into a training program: NVTX ranges named DataLoading, Forward, Backward
// and Optimizer, and a torch.profiler context for the first 10 steps, whose trace goes to ./log.
//
//	program ─> Remove what an earlier run wrote ─> find loop, steps, trainers ─> whole new lines ─> program
//
// Only whole lines are added, each with a mark, never a character within the user's own: so Remove gives the
// file back byte for byte, also when other lines were edited since, and writing twice is the same as once.
package instrument

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/patch"
	"saturate/internal/project"
	"saturate/internal/pysrc"
	"saturate/internal/rule"
)

//go:embed py/*.py
var py embed.FS

// Result is an instrumented program.
type Result struct {
	Text   []byte
	Kind   string   // loop, transformers or lightning
	Ranges []string // in the order of a step
	Notes  []string // what could not be marked
}

// errNoTraining says that the file holds nothing that trains.
var errNoTraining = errors.New("no PyTorch training loop and no transformers or Lightning trainer found")

// Write gives the program with the measuring in it. The project around it is read too: the model may be made elsewhere.
func Write(ctx context.Context, path string, program []byte) (Result, error) {
	program = Remove(program)
	read := func(file string) ([]byte, error) {
		if file == path {
			return program, nil
		}
		return files.Read(file, files.MaxSource)
	}
	p, err := project.Load(ctx, []string{path, filepath.Dir(path)}, project.Options{Read: read})
	if err != nil {
		return Result{}, err
	}
	at := slices.IndexFunc(p.Modules, func(m *project.Module) bool { return m.Path == path })
	if at < 0 {
		return Result{}, fmt.Errorf("%s cannot be read as Python", path)
	}
	m := p.Modules[at]
	switch {
	case m.Encoded:
		return Result{}, fmt.Errorf("%s is not UTF-8; convert it to UTF-8 first", path)
	case m.Notebook:
		return Result{}, fmt.Errorf("%s is a notebook; export it first: jupyter nbconvert --to script", path)
	case m.File.Err() != nil:
		return Result{}, fmt.Errorf("%s does not parse: %s", path, m.File.Err().Message)
	}
	w := &writer{project: p, module: m}
	if err := w.mark(); err != nil {
		return Result{}, fmt.Errorf("%s: %w", path, err)
	}
	text, err := patch.Edits(program, w.edits)
	if err != nil {
		return Result{}, err
	}
	if broken := pysrc.Parse(path, text).Err(); broken != nil {
		return Result{}, fmt.Errorf("the result for %s would not be valid Python (%s); nothing was written", path, broken.Message)
	}
	w.result.Text = text
	return w.result, nil
}

// writer collects the lines to add.
type writer struct {
	project *project.Project
	module  *project.Module
	edits   []patch.Edit
	result  Result
}

func (w *writer) mark() error {
	places := rule.PlacesOf(w.project, w.module)
	hf := rule.TrainersOf(w.project, w.module, "transformers.Trainer")
	lightning := rule.TrainersOf(w.project, w.module, "lightning.pytorch.Trainer")
	switch {
	case len(places) > 0 && places[0].Loop != nil:
		w.result.Kind = "loop"
		w.block("steps.py")
		for _, place := range places {
			w.loop(place)
		}
	case len(hf) > 0:
		w.trainers("transformers", hf, "%s.add_callback(_SaturateCallback(%s))")
	case len(lightning) > 0:
		w.trainers("lightning", lightning, "%s.callbacks.append(_SaturateCallback())")
	case len(places) > 0:
		return fmt.Errorf("its training loop is in another file; instrument that file")
	default:
		return errNoTraining
	}
	if len(w.edits) < 2 {
		return errors.New("statements of the training loop share a line; put each on its own line")
	}
	return nil
}

// trainers adds a callback to each trainer, behind the statement that makes it. Where one is used as it is made,
// Trainer(…).train(), no line can stand between: then their classes are told before.
func (w *writer) trainers(kind string, made []rule.MadeTrainer, line string) {
	w.result.Kind, w.result.Ranges = kind, []string{"DataLoading", "Forward", "Backward", "Optimizer"}
	w.block("steps.py", kind+".py")
	atOnce := slices.ContainsFunc(made, func(m rule.MadeTrainer) bool { return m.Variable == "" })
	for _, m := range made {
		if atOnce && m.Class != "" {
			w.before(m.Stmt, "_saturate_trainers("+m.Class+")")
		} else {
			w.after(m.Stmt, strings.ReplaceAll(line, "%s", m.Variable))
		}
	}
}

// loop marks one training loop.
func (w *writer) loop(s rule.StepPlaces) {
	body := pysrc.LoopBody(s.Loop)
	w.before(s.Loop, "_saturate.start()")
	again := []string{"_saturate.step()"}
	if s.Iterates {
		w.before(s.Loop, `_saturate.begin("DataLoading")`)
		w.before(body[0], `_saturate.end("DataLoading")`)
		again = append(again, `_saturate.begin("DataLoading")`)
		w.ranged("DataLoading")
	}
	for _, stmt := range s.Load {
		w.around("DataLoading", stmt, stmt)
	}
	if !s.Iterates && len(s.Load) == 0 {
		w.result.Notes = append(w.result.Notes, "DataLoading is not marked: found no statement that fetches a batch")
	}
	for _, run := range s.Forward {
		w.around("Forward", run[0], run[len(run)-1])
	}
	if len(s.Forward) == 0 {
		w.result.Notes = append(w.result.Notes, "Forward is not marked: found no call of the model before the backward")
	}
	for _, stmt := range s.Backward {
		w.around("Backward", stmt, stmt)
	}
	for _, stmt := range s.Optimizer {
		w.around("Optimizer", stmt, stmt)
	}
	if len(s.Optimizer) == 0 {
		w.result.Notes = append(w.result.Notes, "Optimizer is not marked: found no optimizer step near the backward")
	}
	for _, skip := range continues(body) {
		for _, line := range again {
			w.before(skip, line)
		}
	}
	last := body[len(body)-1]
	switch last.(type) {
	case *pysrc.Break, *pysrc.Return, *pysrc.Raise, *pysrc.Continue:
	default:
		for _, line := range again {
			w.after(last, line)
		}
	}
	if s.Iterates { // behind what else is written at the end of the body: lines of one place keep their order
		w.after(s.Loop, `_saturate.end("DataLoading")`)
	}
}

// continues returns the continue statements of a loop's body that belong to it and to no loop within.
func continues(body []pysrc.Stmt) (list []pysrc.Stmt) {
	for _, s := range body {
		pysrc.Inspect(s, func(n pysrc.Node) bool {
			switch n := n.(type) {
			case *pysrc.For, *pysrc.While, *pysrc.FunctionDef, *pysrc.ClassDef:
				return false
			case *pysrc.Continue:
				list = append(list, n)
			}
			return true
		})
	}
	return list
}

func (w *writer) around(name string, first, last pysrc.Stmt) {
	begin := w.module.LineBefore(first, fmt.Sprintf("_saturate.begin(%q)%s", name, mark))
	end := w.module.LineAfter(last, fmt.Sprintf("_saturate.end(%q)%s", name, mark))
	if begin.Path == "" || end.Path == "" {
		w.result.Notes = append(w.result.Notes, fmt.Sprintf("%s on line %d is not marked: the statement shares its line with another", name, w.module.LineAt(first.Bounds().Start)))
		return
	}
	w.edits = append(w.edits, begin, end)
	w.ranged(name)
}

func (w *writer) ranged(name string) {
	if !slices.Contains(w.result.Ranges, name) {
		w.result.Ranges = append(w.result.Ranges, name)
	}
}

func (w *writer) before(s pysrc.Stmt, line string) { w.add(w.module.LineBefore(s, line+mark)) }
func (w *writer) after(s pysrc.Stmt, line string)  { w.add(w.module.LineAfter(s, line+mark)) }

func (w *writer) add(e patch.Edit) {
	if e.Path != "" {
		w.edits = append(w.edits, e)
	}
}

// block writes the helper behind the imports that open the program, or before its first statement.
func (w *writer) block(names ...string) {
	var b strings.Builder
	b.WriteString(opening + "\n")
	for i, name := range names {
		text, err := py.ReadFile("py/" + name)
		if err != nil {
			panic(err) // embedded
		}
		if i > 0 {
			b.WriteString("\n\n")
		}
		b.Write(text)
	}
	b.WriteString(closing)
	library := "lightning.pytorch"
	if w.module.Imports("pytorch_lightning") {
		library = "pytorch_lightning"
	}
	text := strings.ReplaceAll(b.String(), "LIGHTNING", library)
	text = strings.ReplaceAll(text, "\n", w.module.Newline())
	body := w.module.File.Module.Body
	if _, isDoc := pysrc.Docstring(body); isDoc && len(body) > 1 {
		body = body[1:]
	}
	var last pysrc.Stmt
	for _, s := range body {
		switch s.(type) {
		case *pysrc.Import, *pysrc.ImportFrom:
			last = s
			continue
		}
		break
	}
	if last != nil {
		w.add(w.module.LineAfter(last, text))
		return
	}
	w.add(w.module.LineBefore(body[0], text))
}
