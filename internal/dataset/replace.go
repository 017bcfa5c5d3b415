package dataset

import (
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/files"
)

// replaceable says why --replace must not delete what has the output's name: a folder that holds something else than
// an output, something that is not a regular file, or what this build reads.
func (b *builder) replaceable(final string) error {
	info, err := os.Lstat(final)
	if err != nil {
		return fmt.Errorf("cannot read the output: %w; choose another with --output", err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir() && !isEmptyFolder(final) && !isOutput(final):
		return fmt.Errorf("%s is a folder that saturate mel did not create; --replace would "+
			"delete it with everything in it. Choose another name", final)
	case !mode.IsDir() && !mode.IsRegular():
		return fmt.Errorf("%s is a link or a device, which --replace does not overwrite; choose another name", final)
	}
	place, err := filepath.Abs(final)
	if err != nil {
		return fmt.Errorf("cannot read the output: %w; choose another with --output", err)
	}
	place = files.Real(place)
	for _, path := range b.list.reads() {
		full, err := filepath.Abs(b.opt.path(path))
		if err != nil {
			continue
		}
		there, err := os.Stat(full)
		if err == nil && os.SameFile(there, info) || files.Inside(files.Real(full), place) {
			return fmt.Errorf("%s is or contains the input %s, which --replace would delete; choose another name", final,
				clean(path))
		}
	}
	return nil
}

// reads are all files that a build reads: audio, archives and lists.
func (l *List) reads() []string {
	all := append([]string(nil), l.lists...)
	for i := range l.Items {
		if it := &l.Items[i]; it.Tar == "" {
			all = append(all, it.Path)
		} else if len(all) == 0 || all[len(all)-1] != it.Tar {
			all = append(all, it.Tar)
		}
	}
	return all
}

// isOutput recognises a folder that a build has made.
func isOutput(dir string) bool {
	a, err := readAttributes(filepath.Join(dir, attributesName))
	return err == nil && a["written_by"] == writtenBy
}

func isEmptyFolder(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}
