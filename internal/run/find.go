package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// shortestID is how much of a uuid has to be given.
const shortestID = 4

// Find reads the Run that a selector means: the path of its folder or of its run.json, "latest", the
// beginning of its uuid, its name, or the name of its experiment's folder. A name means the newest Run of that name.
func Find(root, selector string) (Run, error) {
	if selector == "" {
		return Run{}, fmt.Errorf(`no run given: use a path, a name, the start of an id, or "latest"`)
	}
	if info, err := os.Stat(selector); err == nil {
		if !info.IsDir() && filepath.Base(selector) == manifestName {
			return Read(filepath.Dir(selector))
		}
		if info.IsDir() {
			// An experiment's folder means the newest Run in it. A folder without a Run that
			// happens to be called like one is not meant.
			within := slices.DeleteFunc(inFolder(filepath.Clean(selector)), func(r Run) bool { return foreign(r.Dir) })
			slices.SortFunc(within, newestFirst)
			isPath := strings.ContainsRune(selector, filepath.Separator)
			switch {
			case len(within) > 0 && (isPath || within[0].State != Damaged):
				return Read(within[0].Dir)
			case isPath:
				return Run{}, fmt.Errorf("%s is not a run: it has no %s", selector, manifestName)
			}
		}
	}
	return Named(root, selector)
}

// Named reads the Run below root that a selector means which is not a path.
func Named(root, selector string) (Run, error) {
	runs, err := List(root)
	if err != nil {
		return Run{}, err
	}
	if selector == "latest" {
		if len(runs) == 0 || runs[0].State == Damaged {
			return Run{}, fmt.Errorf("no runs in %s yet", root)
		}
		return Read(runs[0].Dir)
	}
	for _, matches := range []func(Run) bool{
		func(r Run) bool { return r.ID == selector },
		func(r Run) bool { return r.Name == selector },
		func(r Run) bool { return filepath.Base(filepath.Dir(r.Dir)) == selector },
	} {
		if i := slices.IndexFunc(runs, matches); i >= 0 {
			return Read(runs[i].Dir) // the newest
		}
	}
	var begin []Run
	for _, r := range runs {
		if len(selector) >= shortestID && strings.HasPrefix(r.ID, strings.ToLower(selector)) {
			begin = append(begin, r)
		}
	}
	switch len(begin) {
	case 1:
		return Read(begin[0].Dir)
	case 0:
		return Run{}, fmt.Errorf("no run in %s matches %q%s", root, selector, known(runs))
	}
	return Run{}, fmt.Errorf("%d runs in %s start with %q, such as %s and %s; use more of the id", len(begin), root,
		selector, begin[0].ID, begin[1].ID)
}

// foreign reports whether a folder has nothing of a Run, not even of a damaged one.
func foreign(dir string) bool {
	return !slices.ContainsFunc([]string{manifestName, stepsName}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return !errors.Is(err, fs.ErrNotExist)
	})
}

// known names some runs that could have been meant.
func known(runs []Run) string {
	var names []string
	for _, r := range runs {
		if !slices.Contains(names, r.Name) && len(names) < 5 {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return ": it has no runs yet"
	}
	return "; it has " + strings.Join(names, ", ")
}
