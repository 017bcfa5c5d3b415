package project

import (
	"bytes"
	"context"
	"sync"

	"saturate/internal/pysrc"
)

// A large repository has thousands of modules that training never reaches. They are first read in outline, which lists
// what their top level defines and imports. Every module with a word of rootWords in its code is then read in full, and
// so are the modules that it imports from, directly or indirectly. The others are dropped.

// mostInFull is how many Python files are always read in full.
const mostInFull = 400

// rootWords are identifiers, at least one of which occurs in every module that trains, loads samples or prepares either.
var rootWords = setOf(
	"backward", "manual_backward", "training_step", "train_step", "compute_loss", "compute_objectives",
	"value_and_grad", "filter_value_and_grad", "filter_grad", "jax", "optax", "nnx", "pmap",
	"DataLoader", "StatefulDataLoader", "Dataset", "IterableDataset", "TensorDataset", "LightningModule", "LightningDataModule", "DataModule",
	"Trainer", "Seq2SeqTrainer", "TrainingArguments", "Seq2SeqTrainingArguments", "SFTConfig", "SFTTrainer", "HfArgumentParser",
	"collate_fn", "data_collator", "with_transform", "set_transform", "load_dataset", "webdataset",
	"Accelerator", "GradScaler", "deepspeed", "lightning", "pytorch_lightning", "Fabric", "speechbrain",
	"SGD", "Adam", "AdamW", "DataParallel", "DistributedDataParallel", "init_process_group", "FullyShardedDataParallel",
	"set_detect_anomaly", "set_float32_matmul_precision", "cudnn", "allow_tf32", "hydra",
	"register_module", "register_model", "register_task", "register_criterion", "build_runner", "build_from_cfg", "mmengine", // what a runner makes by its name
)

// isRootWord looks a name up in rootWords. It first checks the length and the first and last byte, which excludes most names.
func isRootWord(name string) bool {
	return len(name) < 32 && rootLengths[name[0]]&rootLengths[name[len(name)-1]|128]&(1<<len(name)) != 0 && rootWords[name]
}

// rootLengths are the lengths of the words that start with a byte, and, 128 further, of those that end with one.
var rootLengths = func() (table [256]uint32) {
	for w := range rootWords {
		table[w[0]] |= 1 << len(w)
		table[w[len(w)-1]|128] |= 1 << len(w)
	}
	return table
}()

// fillIn reads in full what the modules that were read in full import.
func (p *Project) fillIn(ctx context.Context, opt Options) error {
	f := filler{p: p, defined: map[memberKey]*Module{}}
	var queue []*Module
	for _, m := range p.Modules {
		if !m.Outline {
			queue = append(queue, m)
		}
	}
	for len(queue) > 0 {
		f.next = f.next[:0]
		for _, m := range queue {
			f.importsOf(m)
		}
		clear(f.defined) // it holds modules by what they were before
		queue = append(queue[:0:0], f.next...)
		if err := inParallel(ctx, opt.Workers, len(queue), func(i int) { readAgain(queue[i], opt) }); err != nil {
			return err
		}
		// An import leads to names of other modules, which must have been read by then.
		if err := inParallel(ctx, opt.Workers, len(queue), func(i int) { p.findImports(queue[i]) }); err != nil {
			return err
		}
	}
	for _, m := range p.Modules {
		if m.digest = nil; m.unfolded {
			m.letGo()
		}
	}
	return nil
}

// digestOf writes a short version of an outlined module: its imports, and the names that its top level binds, as variables.
func digestOf(f *pysrc.File) []byte {
	b := digests.Get().(*digest)
	defer digests.Put(b)
	b.Reset()
	var visit func(list []pysrc.Stmt)
	visit = func(list []pysrc.Stmt) {
		for _, s := range list {
			switch s := s.(type) {
			case *pysrc.Import, *pysrc.ImportFrom:
				b.end()
				b.Write(f.Src[s.Bounds().Start:s.Bounds().End])
				b.WriteByte('\n')
			case *pysrc.FunctionDef:
				b.name(s.Name)
			case *pysrc.ClassDef:
				b.name(s.Name)
			case *pysrc.Assign:
				for _, t := range s.Targets {
					b.target(t)
				}
			case *pysrc.AnnAssign:
				b.target(s.Target)
			case *pysrc.If:
				visit(s.Body)
				visit(s.Orelse)
			case *pysrc.Try:
				visit(s.Body)
				for _, h := range s.Handlers {
					visit(h.Body)
				}
				visit(s.Orelse)
				visit(s.Finalbody)
			case *pysrc.With:
				visit(s.Body)
			}
		}
	}
	visit(f.Module.Body)
	b.end()
	return bytes.Clone(b.Bytes())
}

// digests are those that were written, whose room is used again.
var digests = sync.Pool{New: func() any { return new(digest) }}

// digest is such a version. Names that follow each other are set by one statement: A = f = 0.
type digest struct {
	bytes.Buffer
	open bool // the last statement needs its value
}

func (b *digest) name(id string) {
	b.WriteString(id)
	b.WriteString(" = ")
	b.open = true
}

func (b *digest) end() {
	if b.open {
		b.WriteString("0\n")
		b.open = false
	}
}

func (b *digest) target(t pysrc.Expr) {
	if n, ok := t.(*pysrc.Name); ok {
		b.name(n.ID)
	}
	for _, part := range elements(t) {
		if n, ok := part.(*pysrc.Name); ok {
			b.name(n.ID)
		}
	}
}

// letGo empties a module that was read in outline, but for its digest.
func (m *Module) letGo() {
	*m = Module{
		File: &pysrc.File{Path: m.Path, Module: &pysrc.Module{}}, Source: &Source{Path: m.Path, of: m.of},
		Name: m.Name, Role: m.Role, Outline: true, outlined: m.outlined, digest: m.digest,
	}
	m.index()
}

// bound is what the top level binds to a name last, also of a module in outline.
func (m *Module) bound(name string) *Binding {
	m.unfold()
	return m.Scope.last(name)
}

// unfold reads the digest of an outlined module. Of most nobody asks what their names are. The module has no text: others may
// look at it at the same time.
func (m *Module) unfold() {
	if m.digest == nil {
		return
	}
	m.unfolds.Do(func() {
		m.File = pysrc.ParseApart(m.Path, m.digest)
		m.Functions = nil
		m.index()
		m.unfolded = true
	})
}

// readAgain reads an outlined module in full. The module is dropped if its file no longer exists.
func readAgain(m *Module, opt Options) {
	var r readFile
	if text, ok := r.text(file{path: m.Path, of: m.of, kind: pythonFile}, opt); ok {
		full := pysrc.Parse(m.Path, text)
		*m = Module{File: full, Name: m.Name, Role: m.Role, Source: &Source{Path: m.Path, Text: full.Src, lines: full.LineStarts, of: m.of}}
		m.index()
		for _, c := range m.Classes {
			c.full = m.Name + "." + c.Name
		}
		return
	}
	m.letGo()
}

// filler finds the modules that others get what they import from.
type filler struct {
	p       *Project
	next    []*Module
	defined map[memberKey]*Module
}

type memberKey struct {
	in     *Module
	folder string
	name   string
}

func (f *filler) take(m *Module) {
	if m != nil && m.Outline {
		m.Outline = false
		f.next = append(f.next, m)
	}
}

func (f *filler) importsOf(m *Module) {
	whole := map[string]place{} // names that stand for modules, of which attributes are read
	for _, b := range m.imported {
		alias := b.Node.(*pysrc.Alias)
		switch {
		case !b.place.found():
		case b.from != nil:
			f.take(f.definer(b.place, alias.Name, 0))
		default:
			whole[b.Name] = b.place
		}
	}
	for _, at := range m.starred {
		if at.module != nil && at.folder == "" {
			f.take(at.module)
		}
	}
	if len(whole) == 0 {
		return
	}
	pysrc.Inspect(m.File.Module, func(n pysrc.Node) bool {
		if a, ok := n.(*pysrc.Attribute); ok {
			f.attribute(a, whole)
		}
		return true
	})
}

// attribute takes the module that defines c of a.b.c, where a is a module.
func (f *filler) attribute(a *pysrc.Attribute, whole map[string]place) place {
	var at place
	switch x := a.Value.(type) {
	case *pysrc.Name:
		at = whole[x.ID]
	case *pysrc.Attribute:
		at = f.attribute(x, whole)
	}
	if !at.found() {
		return place{}
	}
	if at.folder != "" {
		if sub := f.p.inFolder(at.folder, a.Attr); sub.found() {
			return sub
		}
	}
	f.take(f.definer(at, a.Attr, 0))
	return place{}
}

// definer is the module that defines a name that a module or folder re-exports, over any number of imports.
func (f *filler) definer(at place, name string, depth int) *Module {
	key := memberKey{at.module, at.folder, name}
	if m, known := f.defined[key]; known {
		return m
	}
	f.defined[key] = nil // while it is looked for: imports may go in circles
	m := f.find(at, name, depth)
	f.defined[key] = m
	return m
}

func (f *filler) find(at place, name string, depth int) *Module {
	if depth > mostDeep {
		return nil
	}
	if m := at.module; m != nil && m.digest != nil && !m.resolved {
		m.unfold()
		m.resolved = true
		f.p.findImports(m)
	}
	if at.module != nil {
		if b := at.module.bound(name); b != nil {
			if alias, ok := b.Node.(*pysrc.Alias); ok {
				if b.from == nil || !b.place.found() {
					return b.place.module
				}
				return f.definer(b.place, alias.Name, depth+1)
			}
			return at.module
		}
	}
	if at.folder != "" {
		if sub := f.p.inFolder(at.folder, name); sub.module != nil {
			return sub.module
		}
	}
	if at.module != nil {
		for _, star := range at.module.starred {
			if m := f.definer(star, name, depth+1); m != nil {
				return m
			}
		}
	}
	return nil
}
