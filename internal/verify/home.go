package verify

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/probe"
	"saturate/internal/run"
)

// home is where the modules of a variant have to come from. The project may be importable from the other variant's
// tree, or from the user's own, which a variant is a copy of. What Python finds there is replaced by the same place in
// the variant's tree. Trees correspond as a whole, or, where a folder is compared with a place in a copy,
// from there on.
func (p Plan) home(v Variant) probe.Home {
	other := p.Before
	if v.key() == p.Before.key() {
		other = p.After
	}
	if v.Root == "" || v.Root == other.Root {
		return probe.Home{} // one tree: a difference of variables or settings
	}
	h := probe.Home{Root: v.tree(other), Changed: changed(v, other)}
	add := func(from, to string) {
		if from != "" && !slices.ContainsFunc(h.Moves, func(m probe.Move) bool { return m.From == from }) {
			h.Moves = append(h.Moves, probe.Move{From: from, To: to})
		}
	}
	if h.Root != v.Root {
		add(other.Root, h.Root)
		return h
	}
	add(v.Origin, v.Root)
	for _, tree := range []string{other.Root, other.Origin} {
		switch {
		case tree == "":
		case v.inside() == other.inside():
			add(tree, v.Root)
		default:
			add(filepath.Join(tree, other.inside()), v.Dir)
			if !files.Inside(files.Real(v.Root), files.Real(tree)) {
				add(tree, "") // the variant has nothing to take in its place
			}
		}
	}
	return h
}

// tree is where the code of a variant lies. Beside a copy of the user's repository, the folder that the user stands in
// is a part of it all.
func (v Variant) tree(other Variant) string {
	if other.Origin != "" && files.Real(v.Dir) == files.Real(filepath.Join(other.Origin, other.inside())) {
		return other.Origin
	}
	return v.Root
}

// inside is where in its tree the command runs.
func (v Variant) inside() string {
	if relative, err := filepath.Rel(v.Root, v.Dir); err == nil {
		return relative
	}
	return "."
}

// changed are the Python files of a variant that the other has not, or has otherwise; with slashes, below where home
// says that its code lies.
func changed(v, other Variant) []string {
	var list []string
	above := ""
	if whole := v.tree(other); whole != v.Root {
		above = other.inside()
	}
	for _, name := range slices.Sorted(maps.Keys(v.Sources)) {
		there, ok := name, true
		if v.inside() != other.inside() {
			var err error
			if there, err = filepath.Rel(v.inside(), name); err != nil || !filepath.IsLocal(there) {
				ok = false // the other's folder does not reach so far
			}
			there = filepath.Join(other.inside(), there)
		}
		if ok && filepath.Ext(name) == ".py" && other.Sources[there] != v.Sources[name] {
			list = append(list, filepath.ToSlash(filepath.Join(above, name)))
		}
	}
	return list
}

// watchModules gives a trial's program what it has to start with, so that its modules come from where they have to.
// done takes in what the processes told of them; a Python program that made steps must have told something.
func watchModules(t Trial, environ []string) (env []string, done func(r run.Run, python bool), err error) {
	if !t.Home.Turns() || t.Modules == nil {
		return environ, func(run.Run, bool) {}, nil
	}
	folder, err := os.MkdirTemp("", "saturate-modules-")
	if err != nil {
		return nil, nil, fmt.Errorf("cannot create a folder for the list of modules: %w", err)
	}
	if env, err = t.Home.Environ(environ, folder); err != nil {
		os.RemoveAll(folder)
		return nil, nil, err
	}
	return env, func(r run.Run, python bool) {
		defer os.RemoveAll(folder)
		m, err := probe.ReadModules(folder)
		if err != nil {
			m.Unknown = err.Error()
		}
		if err == nil || python && len(r.Steps) > 0 {
			t.Modules(m)
		}
	}, nil
}

// Unloaded are the changed Python files when not one of them was imported in any run of either variant; nothing where
// that is not known.
func (r Result) Unloaded() []string {
	known := false
	for _, b := range r.Blocks {
		for _, o := range b.Outcomes {
			if o.Modules != nil {
				known = true
				if len(o.Modules.Loaded) > 0 {
					return nil
				}
			}
		}
	}
	if !known {
		return nil
	}
	list := slices.Concat(changed(r.Plan.After, r.Plan.Before), changed(r.Plan.Before, r.Plan.After))
	slices.Sort(list)
	return slices.Compact(list)
}

// someOf names the first of a list.
func someOf(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + ", …"
}
