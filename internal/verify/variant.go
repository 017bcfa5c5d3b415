package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is how a variant was named.
type Kind string

const (
	Ref    Kind = "ref"    // a commit: its files are written into a folder of their own
	Folder Kind = "folder" // used as it is: a copy would lose ../data, and data sets are large
	Patch  Kind = "patch"  // the current tree, uncommitted changes included, copied and patched
)

// Variant is a program in a folder.
type Variant struct {
	Name        string   `json:"name"` // as the user wrote it
	Kind        Kind     `json:"kind"`
	Dir         string   `json:"dir"` // where the command runs
	Root        string   `json:"root"`
	Commit      string   `json:"commit,omitempty"`
	Command     []string `json:"command"`
	Env         []string `json:"env,omitempty"`         // NAME=value, on top of the others
	Fingerprint string   `json:"fingerprint,omitempty"` // of the source files; "" is not watched
	Notes       []string `json:"-"`                     // what the user should know about it
}

// InFolder is the variant that a folder holds. Nothing is copied; that its sources stay as
// they are is checked before each run.
func InFolder(name, dir string, command []string) (Variant, error) {
	print, err := fingerprint(dir)
	if err != nil {
		return Variant{}, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return Variant{Name: name, Kind: Folder, Dir: dir, Root: dir, Command: command, Fingerprint: print}, nil
}

// unchanged makes sure that the program is still the one that was measured before.
func (v Variant) unchanged() error {
	if v.Fingerprint == "" {
		return nil
	}
	now, err := fingerprint(v.Root)
	if err != nil {
		return fmt.Errorf("%s cannot be read any more: %w", v.Name, err)
	}
	if now != v.Fingerprint {
		return fmt.Errorf("the sources in %s changed while the experiment ran: its blocks no longer compare the same programs, so begin anew", v.Root)
	}
	return nil
}

// seedWord stands in a command for the seed of a block.
const seedWord = "{seed}"

// seeded tells whether each block is to have its own seed. Otherwise all have the same.
func (v Variant) seeded() bool {
	return slices.ContainsFunc(v.Command, func(arg string) bool { return strings.Contains(arg, seedWord) })
}

// sourceEndings are files that a person writes. Programs write the others: logs, caches, checkpoints.
var sourceEndings = []string{".py", ".pyx", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".yaml", ".yml", ".toml", ".cfg", ".ini", ".sh"}

// passedOver are folders without sources of the user's.
var passedOver = []string{"__pycache__", "node_modules", "site-packages", "runs", "wandb", "mlruns", "lightning_logs", "checkpoints", "outputs"}

const (
	largestSource = 1 << 20
	mostSources   = 20_000
)

// fingerprint tells whether the sources below a folder change.
func fingerprint(root string) (string, error) {
	sum, seen := sha256.New(), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				return err
			}
			return nil // what cannot be read now cannot be read by the program either
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || slices.Contains(passedOver, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestSource || !slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(name))) {
			return nil
		}
		if seen++; seen > mostSources {
			return filepath.SkipAll
		}
		relative, _ := filepath.Rel(root, path)
		fmt.Fprintf(sum, "%s\x00%d\x00", filepath.ToSlash(relative), info.Size())
		f, err := os.Open(path)
		if err != nil {
			return nil
		}
		defer f.Close()
		_, err = io.Copy(sum, f)
		return err
	})
	if err != nil {
		return "", plainError(err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

func plainError(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// Prepare makes a Variant of what the user named: a folder, a patch file, or a git ref. Refs and patches get
// their files in folder `into`, which is made anew; dir is the user's working folder.
func Prepare(ctx context.Context, dir, named, into string, command []string) (Variant, error) {
	path := named
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	isPath := named == "." || named == ".." || strings.ContainsRune(named, filepath.Separator) || strings.ContainsRune(named, '/')
	switch {
	case err == nil && info.IsDir():
		if !isPath && isRef(ctx, dir, named) {
			return Variant{}, fmt.Errorf("%s is both a folder and a git ref: write ./%s for the folder or refs/heads/%s for the branch", named, named, named)
		}
		return InFolder(named, path, command)
	case err == nil:
		return preparePatch(ctx, dir, named, path, into, command)
	case slices.Contains([]string{".patch", ".diff"}, filepath.Ext(named)):
		return Variant{}, fmt.Errorf("there is no patch file %s", named)
	}
	return prepareRef(ctx, dir, named, into, command)
}
