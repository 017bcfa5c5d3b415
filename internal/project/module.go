package project

import (
	"path/filepath"
	"strings"
	"sync"

	"saturate/internal/pysrc"
)

// Module is one Python file or notebook.
type Module struct {
	*Source
	File *pysrc.File
	// Name is the dotted name by which the project itself can import it.
	Name string
	Role Role
	// Number is its place among the modules of the project.
	Number int
	// Outline is set for a module of a large project that training does not reach: its content is not kept.
	Outline bool
	// Notebook is set for .ipynb files.
	Notebook bool

	// Scope holds the names of the module's top level.
	Scope *Scope
	// Main is the module's own code, as a function without a name.
	Main *Function
	// Functions are Main, every def and every lambda, in order of their start.
	Functions []*Function
	// Classes are in order of their start.
	Classes []*Class
	// Sites are the calls, in order of their start.
	Sites []*Site
	// Assignments are those to an attribute or a key: torch.backends.cudnn.benchmark = True.
	Assignments []*Assignment
	// Tests are the expressions that Python needs the truth of, Subscripts every x[…].
	Tests      []pysrc.Expr
	Subscripts []*pysrc.Subscript
	// Uses are the project's modules whose functions or classes it calls or whose
	// variables it imports, UsedBy those that do so with its own; neither holds itself.
	Uses, UsedBy []*Module
	// ImportsFrom are the project's modules that it imports from, ImportedBy those that import it.
	ImportsFrom, ImportedBy []*Module
	// MainGuard tells that the module has an if __name__ == "__main__".
	MainGuard bool

	imports   map[string]bool // first names of what is imported
	imported  []*Binding      // the names that imports bind
	blocks    []Block
	starred   []place                // what stars lead to
	stars     []*pysrc.ImportFrom    // from x import *
	onPath    []string               // folders that it puts on the search path
	devices   []pysrc.Span           // "cuda" and the like
	changes   map[string][]change    // by the variable that holds a dictionary
	turns     map[*pysrc.BinOp]Value // see findTurns
	unreached []pysrc.Span           // what no run gets to
	executes  bool                   // its top level calls exec, which may set its variables anew

	stepped  bool   // see InStep
	outlined int    // lines of a module that is read in outline
	bindings int    // how many there are
	digest   []byte // of such a module; see unfold
	unfolds  sync.Once
	unfolded bool
	resolved bool     // findImports was asked about its digest
	program  *program // what imports connect it with

	says        sync.Map // words to whether the text has them
	triples     *triples
	triplesOnce sync.Once
	starsOnce   sync.Once
	usedOnce    sync.Once
	used        map[usedKey]bool       // see usedHere
	handed      map[usedKey][]handedOn // see handing
	starNames   map[string]*Binding    // see byStar
}

// Says reports whether the source has a word, in code or comments.
func (m *Module) Says(word string) bool {
	if len(m.Text) < len(word) {
		return false
	}
	m.triplesOnce.Do(func() { m.triples = triplesOf(m.Text) })
	if !m.triples.mayHold(word) {
		return false
	}
	if known, ok := m.says.Load(word); ok {
		return known.(bool)
	}
	found := holdsWord(m.Text, word)
	m.says.Store(word, found)
	return found
}

// InStep reports a module with code that a training step reaches.
func (m *Module) InStep() bool { return m.stepped }

// Ours reports whether saturate wrote the module, such as saturate_offline.py: it says nothing about the project.
func (m *Module) Ours() bool {
	name := filepath.ToSlash(m.Path)
	return strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], "saturate_")
}

// Role is what a file is for.
type Role uint8

const (
	// Library is code that others import.
	Library Role = iota
	// Training is a file that trains: it has a training loop or starts a trainer.
	Training
	// Evaluation is a file that only evaluates, infers or serves.
	Evaluation
	// Test is a test, an example of the documentation or a benchmark.
	Test
)

func (r Role) String() string {
	return [...]string{"library", "training", "evaluation", "test"}[r]
}

// Assignment is a store to an attribute or a subscript.
type Assignment struct {
	Module *Module
	Func   *Function
	Block  BlockID
	Target pysrc.Expr // *pysrc.Attribute or *pysrc.Subscript
	// Name is the canonical name of the target; a key counts as an attribute: os.environ.PATH.
	Name  string
	Value pysrc.Expr
	// Augmented is set for x.y += value.
	Augmented bool
}
