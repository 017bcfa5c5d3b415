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

// List returns every Run under root without its steps, the newest first. Folders that are not a whole
// Run are listed too, as Damaged and last, with notes of what is wrong. A root that is not there yet holds no Runs.
func List(root string) ([]Run, error) {
	folders, err := subfolders(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot list the runs in %s: %w", root, plain(err))
	}
	var runs []Run
	for _, folder := range folders {
		runs = append(runs, inFolder(folder)...)
	}
	slices.SortFunc(runs, newestFirst)
	return runs, nil
}

// inFolder returns the Runs of one experiment. A folder that holds something else is one Damaged Run;
// an empty one is none, since its first Run may be about to appear.
func inFolder(folder string) []Run {
	if _, err := os.Lstat(filepath.Join(folder, manifestName)); err == nil {
		return []Run{readManifest(folder)}
	}
	entries, err := visible(folder)
	if err == nil && len(entries) == 0 {
		return nil
	}
	inner, _ := subfolders(folder)
	if len(inner) == 0 {
		r := Run{Dir: folder, ID: filepath.Base(folder), Name: nameFromFolder(filepath.Base(folder))}
		if err != nil {
			r.damage("cannot read the folder: %v", plain(err))
		} else {
			r.damage("not a run: another program wrote this folder")
		}
		return []Run{r}
	}
	var runs []Run
	for _, dir := range inner {
		runs = append(runs, readManifest(dir))
	}
	return runs
}

// visible returns the paths in dir, but the hidden ones: a Run that is being created is hidden.
func visible(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var paths []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, err
}

// subfolders returns the visible folders in dir.
func subfolders(dir string) ([]string, error) {
	paths, err := visible(dir)
	return slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.IsDir()
	}), err
}

func newestFirst(a, b Run) int {
	if (a.State == Damaged) != (b.State == Damaged) {
		if a.State == Damaged {
			return 1
		}
		return -1
	}
	if order := b.Started.Compare(a.Started); order != 0 {
		return order
	}
	return strings.Compare(a.Dir, b.Dir)
}
