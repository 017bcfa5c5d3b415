package project

import (
	"bytes"
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"

	"saturate/internal/pysrc"
)

// Options say what to load and how much.
type Options struct {
	// Exclude are further patterns, in the manner of .gitignore, of files to leave out.
	Exclude []string
	// MaxBytes is the largest source file that is read; 0 means 5 MB.
	MaxBytes int64
	// Workers is how many files are read at the same time; 0 means one per core.
	Workers int
	// Read gives a file's bytes; nil means the disk. It is called from several goroutines.
	Read func(path string) ([]byte, error)
	// Progress, if not nil, is called with the number of files read and the total, one call at a time.
	Progress func(done, total int)
	// Waits is set if the program was measured to wait for its data.
	Waits bool
	// Tries is set if the caller measures each fix, so that fixes of uncertain effect are reported too.
	Tries bool
	// Installed are the versions of libraries that the program was seen to run with, by the name that pip has for them;
	// what the project asks for does not matter then.
	Installed map[string]string
	// Environments are folders of installed Pythons, beside those in the project itself: $VIRTUAL_ENV.
	Environments []string
}

// Project is what was loaded.
type Project struct {
	arms sync.Map // of armOf, whether each runs as the project is shipped: see armTaken
	// Root is the folder that holds all the paths, as given by the user.
	Root string
	// Modules are the Python files and notebooks in order of their path.
	Modules []*Module
	// Settings are the YAML, JSON and TOML files in order of their path.
	Settings []*Settings
	// Scripts are the shell scripts and READMEs of its folders in order of their path, without comments and sentences:
	// how its programs are started.
	Scripts []*Source
	// Versions are the libraries that the project asks for.
	Versions Versions
	// Waits is set if the program was measured to wait for its data, which the source alone may not show.
	Waits bool
	// Tries is set if the caller measures each fix.
	Tries bool
	// Warnings name each file that could not be read, wholly or in part.
	Warnings []Warning

	names    map[string]*Module   // by cleaned path without .py or /__init__.py
	ends     map[string][]*Module // by the last part of that path
	packages map[string]*Module   // the __init__.py of each folder that has one
	folders  map[string]bool      // every folder that holds a module, directly or below
	tops     map[string]bool      // the last parts of their paths
	options  map[string][]option
	// of the namespaces that options are read into
	configs        map[string][]*Assignment    // of nodes of settings, by their dotted names
	configSet      map[configKey][]*Assignment // of objects that hold settings
	configParts    map[configRoot]configPart   // such objects that others hold
	configRoots    map[configRoot]bool         // those that something is assigned to
	overridden     map[*Setting]string         // that commands change, with their dotted paths
	configMerges   []*Site                     // calls that put settings files over the defaults of nodes
	optionsSet     map[string][]*Assignment
	optionChanges  map[*Site][]optionChange // by the call that parsed the options; see changedOption
	defaultsSet    map[*Module][]*Site      // calls of set_defaults
	defaultsOpen   map[*Module]bool         // that take defaults which are not written in the project
	gin            []*Settings              // gin's files
	ginBound       map[string][]ginBinding  // what they bind, by the parameter
	ginNames       map[string]bool          // see ginExternal
	ginOnce        sync.Once
	losses         sync.Map                         // what functions call backward on is computed from; see inLoss
	made           map[string][]made                // objects that settings files make, by the last part of their name
	registries     map[*Site][]registered           // what decorators keep, by the call that made the registry
	keptIn         map[holder][]registered          // what decorators keep, by the variable that holds the dict
	keptNames      map[string]bool                  // their names, and whether settings say them
	appended       map[holder][]*Site               // to variables that hold containers
	makers         map[*Class][]*Site               // constructions of dataclasses
	starters       map[*Function]map[*Function]bool // of a training loop: the functions that run it
	loops          map[*Module][]*Loop
	stepping       map[*Module][]*Loop       // by the module of their steps
	samples        map[*Function]*visit      // what a data set reaches
	moreSamples    map[*Function][]*visit    // other data sets that reach the same function
	hot            map[*Function]*visit      // what a training step reaches
	wrapped        map[*Function][]*Function // what decorators put in their place
	commands       map[*Module][]command     // of scripts, that start a module
	started        map[*Module][]command     // the same for modules that declare options, also by the programs that import them
	givers         map[*Function][]*Site     // the calls of training steps that lead to a function
	gpu            map[*Module]float64
	trained        map[*Module]bool
	evaluating     map[*Function]bool // see findEvaluating
	evaluators     map[*Class]bool    // see findEvaluators
	leading        map[*Function]bool // they hold a training loop or lead to one
	startsByName   map[*Module]bool   // see leadByName
	pipes          map[string]bool    // see findPipes
	lone           []*Function        // steps that nothing in the project calls; see isLoneStep
	hooks          int                // methods that a trainer calls in every step
	hooked         map[*Module]bool   // modules with such methods
	methods        map[string]*Function
	properties     map[string]bool // names of methods that are read like fields
	programs       []*program
	uses           loaderUses
	unused         map[*Module][]pysrc.Span // what nothing names, and what no run gets to
	off            map[*Module][]pysrc.Span // arms that settings and defaults leave out
	scriptGives    sync.Map                 // see givenByScripts
	attributes     map[string][]*Assignment // see AssignmentsTo
	attributesOnce sync.Once
	written        map[*Source]*Module // see moduleOf
	idle           map[*Module]bool    // modules that no run imports
	moves          map[movedName][]movedItem
	folderParts    func() map[string][]folderPart // see modulesNamed
	settingsRead   func() map[*Settings]bool      // see Reads and HandsOn
	unusedClasses  map[*Class]bool
	unstarted      map[*Class]bool  // see dropUnstarted
	training       map[*Module]bool // see trainedFrom
	lookups        map[*Module]bool // see lookedInto
	defined        []*definition

	described     map[string][][]string // see descriptions
	describedOnce sync.Once
	spelled       sync.Map // names, and whether the project spells them
	words         map[uint64]bool
	settingOnce   sync.Once
	settingTexts  map[string]bool // the texts in settings files; see isSetting
	wordsOnce     sync.Once
	above         sync.Map // folders, and the versions that apply there
	environments  []string // folders of installed Pythons
	outlined      bool     // some modules are read in outline
	linked        bool     // what runs when is worked out
	unkept        int      // lines of tests that were not read
}

// Warning is something about one file that the user should know.
type Warning struct {
	Path    string `json:"path"`           // of the file
	Cell    int    `json:"cell,omitempty"` // of a notebook, from 1: the line counts within it
	Line    int    `json:"line,omitempty"` // from 1; 0 when the whole file is meant
	Message string `json:"message"`        // what the user should know
}

// Load reads the files and folders. Unreadable files in a folder become Warnings. The error is for given paths that do
// not exist or cannot be read, and for a canceled context.
func Load(ctx context.Context, paths []string, opt Options) (*Project, error) {
	files, environments, root, warnings, err := walk(paths, opt)
	if err != nil {
		return nil, err
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = defaultMaxBytes
	}
	p := &Project{Root: root, Warnings: warnings, Waits: opt.Waits, Tries: opt.Tries, Versions: Versions{Installed: opt.Installed}, environments: append(environments, opt.Environments...)}
	if err := p.read(ctx, files, opt); err != nil {
		return nil, err
	}
	return p, p.link(ctx, opt)
}

// FromSources makes a project of files that are held in memory, by their path.
// Files that are not Python, settings, requirements or scripts are left out.
func FromSources(ctx context.Context, sources map[string][]byte) (*Project, error) {
	p := &Project{Root: "."}
	for _, path := range slices.Sorted(maps.Keys(sources)) {
		if kind, ok := kindOf(path); ok {
			var r readFile
			r.take(file{path: path, kind: kind}, sources[path])
			p.keep(r)
		}
	}
	return p, p.link(ctx, Options{Workers: runtime.GOMAXPROCS(0)})
}

// Lines counts the lines of Python that were read.
func (p *Project) Lines() int {
	n := p.unkept
	for _, m := range p.Modules {
		n += m.lineCount()
	}
	return n
}

func (m *Module) lineCount() int {
	if m.Outline {
		return m.outlined
	}
	return linesOf(m.File)
}

// countLines is linesOf for a text alone.
func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if bytes.IndexByte(text, '\r') >= 0 {
		n += bytes.Count(text, []byte("\r")) - bytes.Count(text, []byte("\r\n"))
	}
	if len(text) > 0 && text[len(text)-1] != '\n' && text[len(text)-1] != '\r' {
		n++
	}
	return n
}

func linesOf(f *pysrc.File) int {
	n := len(f.LineStarts)
	if n > 0 && int(f.LineStarts[n-1]) == len(f.Src) {
		n-- // behind the last newline starts a line that nobody sees
	}
	return n
}
