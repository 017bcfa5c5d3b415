package probe

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
)

// Home is the tree that a program's modules have to come from. Where a copy of a project is run, PYTHONPATH, a .pth
// file or an editable installation may lead Python to the project itself; py/saturate_probe/home.py turns it back, and
// tells of modules that were loaded from elsewhere all the same. The zero Home turns and tells nothing.
type Home struct {
	Root    string   // the tree
	Moves   []Move   // the other trees of the same project
	Changed []string // .py files below Root, with slashes; the probe reports whether they were loaded
	Lines   bool     // it reports, too, which of their lines were passed over
}

// Move says which folder is to be used in place of another. Where To is empty there is none, and what comes from there
// is only told.
type Move struct {
	From string `json:"from"`
	To   string `json:"to,omitempty"`
}

// Modules is what the processes of a program told of their modules.
type Modules struct {
	Strays  []Stray  `json:"strays,omitempty"`  // loaded from another tree
	Loaded  []string `json:"loaded,omitempty"`  // those of Home.Changed that were loaded
	Shadows []Stray  `json:"shadows,omitempty"` // loaded from anywhere in place of one of Home.Changed that was not
	Unknown string   `json:"unknown,omitempty"` // why nothing was told

	// Lines are those of the functions that were entered, by the file; nil before Python 3.12, which cannot tell.
	Lines map[string]Lines `json:"lines,omitempty"`
}

// Lines are those of one file.
type Lines struct {
	Ran  []int `json:"ran,omitempty"`
	Idle []int `json:"idle,omitempty"` // in functions that were entered
}

// Stray is a module that was loaded from a wrong place.
type Stray struct {
	Module string `json:"module"` // name of the module
	File   string `json:"file"`   // where it came from
	Place  string `json:"place"`  // where it should have come from; empty where the tree has no such place
}

// homeVariable holds a Home.
const homeVariable = "SATURATE_HOME"

// changedFile names the files of Home.Changed, in the folder that the processes write to: they may be too many for a
// variable.
const changedFile = "changed"

// Turns reports whether there is anything to do.
func (h Home) Turns() bool { return len(h.Moves) > 0 }

// homeSettings is what the variable holds.
type homeSettings struct {
	Root   string `json:"root"`
	Moves  []Move `json:"moves"`
	Folder string `json:"folder,omitempty"`
	Lines  bool   `json:"lines,omitempty"`
}

// Environ is what a program has to start with. The processes tell of their modules in a folder, where one is named; see
// ReadModules.
func (h Home) Environ(environ []string, folder string) ([]string, error) {
	if !h.Turns() {
		return environ, nil
	}
	if folder != "" {
		data, err := json.Marshal(h.Changed)
		if err == nil {
			err = files.Write(filepath.Join(folder, changedFile), data)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot make a folder for the list of loaded modules: %w", err)
		}
		folder = absolute(folder)
	}
	text, err := json.Marshal(h.settings(folder))
	return append(slices.Clone(environ), homeVariable+"="+string(text)), err
}

// ModulesFolder is where processes with these variables tell of their modules; "" where they do not.
func ModulesFolder(environ []string) string {
	var h homeSettings
	if text, set := lookup(environ, homeVariable); set && json.Unmarshal([]byte(text), &h) == nil {
		return h.Folder
	}
	return ""
}

func (h Home) settings(folder string) homeSettings {
	s := homeSettings{Root: absolute(h.Root), Folder: folder, Lines: h.Lines}
	for _, m := range h.Moves {
		if m.To != "" {
			m.To = absolute(m.To)
		}
		s.Moves = append(s.Moves, Move{absolute(m.From), m.To})
	}
	return s
}

// Command is a command whose scripts, where it names them by their whole paths, are those of the tree.
func (h Home) Command(words []string) []string {
	list, s := slices.Clone(words), h.settings("")
	for i, word := range list {
		if there := s.turn(word); i > 0 && filepath.IsAbs(word) && filepath.Ext(word) == ".py" {
			if _, err := os.Stat(there); err == nil {
				list[i] = there
			}
		}
	}
	return list
}

// Turned is an environment with a Home for a program that is not watched; Watch sets its own.
func Turned(environ []string) ([]string, error) {
	if _, set := lookup(environ, homeVariable); !set {
		return environ, nil
	}
	inside, err := unpack()
	if err != nil {
		return nil, err
	}
	return inFront(environ, inside), nil
}

// searchPath is a PYTHONPATH that leads into the tree of a Home wherever it led into another.
func searchPath(environ []string, list string) string {
	var h homeSettings
	if text, set := lookup(environ, homeVariable); !set || json.Unmarshal([]byte(text), &h) != nil {
		return list
	}
	entries := filepath.SplitList(list)
	for i, entry := range entries {
		if filepath.IsAbs(entry) {
			entries[i] = h.turn(entry)
		}
	}
	return strings.Join(entries, string(os.PathListSeparator))
}

// turn is the place in the tree of what may lie in another. Links count as what they lead to, and the deepest tree is
// the one that something lies in.
func (h homeSettings) turn(path string) string {
	whole, at, to := files.Real(path), files.Real(h.Root), ""
	if !files.Inside(whole, at) {
		at = ""
	}
	for _, m := range h.Moves {
		if from := files.Real(m.From); files.Inside(whole, from) && len(from) > len(at) {
			at, to = from, m.To
		}
	}
	if to == "" || isEnvironment(whole, at) {
		return path
	}
	relative, err := filepath.Rel(at, whole)
	if err != nil || files.Real(filepath.Join(to, relative)) == whole { // linked
		return path
	}
	return filepath.Join(to, relative)
}

// isEnvironment reports whether a path lies in a Python environment in a folder.
func isEnvironment(path, folder string) bool {
	for at := path; len(at) > len(folder); at = filepath.Dir(at) {
		if name := filepath.Base(at); name == "site-packages" || name == "dist-packages" || name == "__pypackages__" {
			return true
		}
		if _, err := os.Stat(filepath.Join(at, "pyvenv.cfg")); err == nil {
			return true
		}
	}
	return false
}

// errSilent is a program that told nothing of its modules.
var errSilent = errors.New("it is unknown which modules the program loaded")

// ReadModules gathers what the processes told in a folder; errSilent when there were none.
func ReadModules(folder string) (Modules, error) {
	var all Modules
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(paths) == 0 {
		return all, errSilent
	}
	for _, path := range paths {
		var one Modules
		data, err := files.Read(path, files.MaxRecord)
		if err == nil {
			err = json.Unmarshal(data, &one)
		}
		if err != nil {
			return all, fmt.Errorf("%w: %w", errSilent, err)
		}
		all.Strays, all.Loaded, all.Shadows = append(all.Strays, one.Strays...), append(all.Loaded,
			one.Loaded...), append(all.Shadows, one.Shadows...)
		all.addLines(one.Lines)
	}
	byFile := func(a, b Stray) int { return strings.Compare(a.File, b.File) }
	same := func(a, b Stray) bool { return a.File == b.File }
	for _, list := range []*[]Stray{&all.Strays, &all.Shadows} {
		slices.SortStableFunc(*list, byFile)
		*list = slices.CompactFunc(*list, same)
	}
	slices.Sort(all.Loaded)
	all.Loaded = slices.Compact(all.Loaded)
	all.Shadows = slices.DeleteFunc(all.Shadows, func(s Stray) bool { return slices.Contains(all.Loaded, s.Place) })
	return all, nil
}

// addLines adds those of one process. What ran in any of them ran.
func (m *Modules) addLines(lines map[string]Lines) {
	for file, of := range lines {
		known := m.Lines[file]
		known.Ran = slices.Compact(slices.Sorted(slices.Values(append(known.Ran, of.Ran...))))
		known.Idle = slices.Compact(slices.Sorted(slices.Values(append(known.Idle, of.Idle...))))
		known.Idle = slices.DeleteFunc(known.Idle, func(line int) bool { return slices.Contains(known.Ran, line) })
		if m.Lines == nil {
			m.Lines = map[string]Lines{}
		}
		m.Lines[file] = known
	}
}

// Problem says in words why a run with these modules shows nothing about the tree; nothing when all is well.
func (m Modules) Problem() string {
	main := slices.IndexFunc(m.Strays, func(s Stray) bool { return s.Module == "__main__" })
	switch {
	case m.Unknown != "":
		return "may have run code that is not its own: " + m.Unknown
	case main >= 0:
		s := m.Strays[main]
		return fmt.Sprintf("ran %s, not %s: name the program relative to its folder, not by an absolute path", s.File, s.Place)
	case len(m.Strays) > 0:
		s := m.Strays[0]
		instead := "which is not part of the variant: name the whole project as a variant"
		if s.Place != "" {
			instead = fmt.Sprintf("not from %s: let the program find its modules relative to its own folder, not by an "+
				"absolute path",
				s.Place)
		}
		return fmt.Sprintf("ran code of another tree: %s was loaded from %s%s, %s", s.Module, s.File, andMore(m.Strays),
			instead)
	case len(m.Shadows) > 0:
		s := m.Shadows[0]
		return fmt.Sprintf("never loaded the changed file %s%s: its %s is %s, which is installed apart from the project; install it with `pip install -e .`, or uninstall it",
			s.Place, andMore(m.Shadows), s.Module, s.File)
	}
	return ""
}

func andMore(list []Stray) string {
	if len(list) == 1 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", len(list)-1)
}

// IsPython reports whether a command names a Python interpreter.
func IsPython(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return interpreter.MatchString(filepath.Base(word)) })
}
