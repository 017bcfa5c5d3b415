package probe

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Forks starts programs by a fork server: a process that has imported what the program imports, torch and transformers
// say, and becomes the program, again and again. What differs from a fresh process is that these modules are loaded
// already; py/saturate_probe/forks.py sees to the rest. What to import is learnt from the first run, which is a fresh
// process. Linux only; a program that is started by anything but Python itself (a shell, torchrun) runs in fresh
// processes as before. The zero Forks is ready; nil starts nothing.
type Forks struct {
	mu       sync.Mutex
	learnt   map[string]*Imports // by the path of the interpreter
	first    map[string][]string // modules that the first program imported, by the path of the interpreter
	from     *Forks              // that learns, where programs import for themselves; see Ahead
	waiting  []*server           // each of which has imported for one program
	running  *server
	barred   []string // modules that cannot be imported before a fork
	set      []string // variables that the program sets, which libraries may read when they are imported
	tries    int      // servers that were given up
	count    int      // programs that were forked
	obstacle string   // why nothing is forked any more

	warming atomic.Pointer[context.CancelFunc] // ends the start of a server that nobody waits for yet
}

// Imports is what a process has imported of what is installed, in order, and what has changed in its environment.
type Imports struct {
	Modules []string           `json:"modules"`
	Environ map[string]*string `json:"environ"`
}

// Count is how many programs were forked; why says what stood in the way of forking, where something did.
func (f *Forks) Count() (n int, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count, f.obstacle
}

// Ahead starts each program from a server of its own, which has imported for it alone: nothing is shared with another,
// as in fresh processes. What it saves is waiting: several import at once, before the first of them is measured, and
// none while another is. What they import is what f has learnt from the first program.
func (f *Forks) Ahead() *Forks { return &Forks{from: f} }

// learn remembers what a program of an interpreter has imported.
func (f *Forks) learn(path string, seen *Imports) {
	if f == nil || f.from != nil || seen == nil || len(seen.Modules) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.learnt[path]
	if known == nil {
		if f.learnt == nil {
			f.learnt, f.first = map[string]*Imports{}, map[string][]string{}
		}
		f.learnt[path], f.first[path] = seen, slices.Clone(seen.Modules)
		return
	}
	for _, name := range seen.Modules {
		if !slices.Contains(known.Modules, name) {
			known.Modules = append(known.Modules, name)
		}
	}
}

// commandLine is what an interpreter is started with.
type commandLine struct {
	program string
	options []string
	args    []string // the script, or -m and a module, and what is the program's
}

// pythonLine takes a command line apart; it is not one that can be forked where it starts something else, or has
// options that change how the interpreter itself works.
func pythonLine(words []string) (line commandLine, ok bool) {
	if len(words) < 2 || !interpreter.MatchString(filepath.Base(words[0])) {
		return line, false
	}
	line.program = words[0]
	for i := 1; i < len(words); i++ {
		switch word := words[i]; {
		case word == "-m":
			line.args = words[i:]
			return line, len(line.args) > 1
		case word == "-W" || word == "-X":
			if i++; i == len(words) {
				return line, false
			}
			line.options = append(line.options, word, words[i])
		case slices.Contains([]string{"-u", "-B", "-O", "-OO", "-s", "-P"}, word) || strings.HasPrefix(word, "-W") ||
			strings.HasPrefix(word, "-X"):
			line.options = append(line.options, word)
		case strings.HasPrefix(word, "-") || !strings.HasSuffix(word, ".py"):
			return line, false
		default:
			line.args = words[i:]
			return line, true
		}
	}
	return line, false
}

// bar leaves a module out of what is imported before a fork: the part of its package that it lies in (torch._inductor
// of torch._inductor.runtime.benchmarking), because where one module starts threads its neighbors do, and each costs a
// server.
func (f *Forks) bar(module string) {
	words := strings.SplitN(module, ".", 3)
	f.barred = append(f.barred, strings.Join(words[:min(2, len(words))], "."))
}

// barredFrom reports whether a module is one that cannot be imported before a fork, or lies in one.
func barredFrom(list []string, module string) bool {
	return slices.ContainsFunc(list, func(name string) bool { return module == name || strings.HasPrefix(module, name+".") })
}
