package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/run"
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
	Dir         string   `json:"dir"`                   // where the command runs
	Root        string   `json:"root"`                  // folder of the tree
	Origin      string   `json:"origin,omitempty"`      // the user's own tree that Root is a copy of
	Commit      string   `json:"commit,omitempty"`      // of a git ref
	Command     []string `json:"command"`               // that is run
	Env         []string `json:"env,omitempty"`         // NAME=value, on top of the others
	Fingerprint string   `json:"fingerprint,omitempty"` // of all source files
	Notes       []string `json:"-"`                     // what the user should know about it

	Sources map[string]string `json:"sources,omitempty"` // the hash of each source file; none is watched when empty
}

// InFolder is the variant that a folder holds. Nothing is copied; that its sources stay as
// they are is checked before each run.
func InFolder(name, dir string, command []string) (Variant, error) {
	v := Variant{Name: name, Kind: Folder, Dir: dir, Root: dir, Command: command}
	return v, v.look()
}

// look takes down what the sources are.
func (v *Variant) look() error {
	var err error
	if v.Sources, err = sources(v.Root); err != nil {
		return fmt.Errorf("%s cannot be read: %w", v.Name, err)
	}
	sum := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(v.Sources)) {
		fmt.Fprintf(sum, "%s\x00%s\x00", name, v.Sources[name])
	}
	v.Fingerprint = hex.EncodeToString(sum.Sum(nil)[:8])
	return nil
}

// ErrChanged means that the files of a program have changed since it was measured.
var ErrChanged = errors.New("changed during the experiment, so its pairs compare different programs")

// unchanged makes sure that the program is still the one that was measured before.
func (v Variant) unchanged() error {
	for name, want := range v.Sources {
		if now, err := hashOf(filepath.Join(v.Root, name)); err != nil || now != want {
			return fmt.Errorf("%s %w", filepath.Join(v.Root, name), ErrChanged)
		}
	}
	return nil
}

// describe corrects what a Run says about its repository: a copy may lie within the user's, and is not its state.
func (v Variant) describe(env *run.Environment) {
	switch v.Kind {
	case Ref:
		env.Git, env.Changes = &run.Git{Commit: v.Commit}, nil
	case Patch:
		env.Git, env.Changes = nil, nil
	}
}

// holds reports whether the sources of an earlier look are still the same. Files that came since
// are mostly the program's own: saved settings, logs.
func (v Variant) holds(earlier map[string]string) bool {
	for name, hash := range earlier {
		if v.Sources[name] != hash {
			return false
		}
	}
	return true
}

// seedWord stands in a command for the seed of a block.
const seedWord = "{seed}"

// seeded reports whether each block is to have its own seed. Otherwise all have the same.
func (v Variant) seeded() bool {
	return slices.ContainsFunc(v.Command, func(arg string) bool { return strings.Contains(arg, seedWord) })
}

// sourceEndings are files that a person writes. Programs write the others: logs, caches, checkpoints.
var sourceEndings = []string{
	".py", ".pyx", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".yaml", ".yml", ".toml", ".cfg",
	".ini", ".sh",
}

// passedOver are folders without sources of the user's.
var passedOver = []string{
	"__pycache__", "node_modules", "site-packages", "runs", "wandb", "mlruns", "lightning_logs",
	"checkpoints", "outputs",
}

const (
	largestSource = 1 << 20
	mostSources   = 20_000
)

// sources hashes the source files below a folder.
func sources(root string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == root {
				return err
			}
			return nil // what cannot be read now cannot be read by the program either
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || slices.Contains(passedOver, name) || Own(path)) {
				return filepath.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > largestSource ||
			!slices.Contains(sourceEndings, strings.ToLower(filepath.Ext(name))) {
			return nil
		}
		if len(found) == mostSources {
			return filepath.SkipAll
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if hash, err := hashOf(path); err == nil {
			found[relative] = hash
		}
		return nil
	})
	if err != nil {
		return nil, plainError(err)
	}
	return found, nil
}

func hashOf(path string) (string, error) {
	data, err := files.Read(path, files.MaxSource)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), err
}

func plainError(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// Prepare makes a Variant of what the user named: a folder, a patch file, or a git ref. Refs and patches get
// their files in folder `into`, which is created again; dir is the user's working folder.
func Prepare(ctx context.Context, dir, named, into string, command []string) (Variant, error) {
	path := named
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	isPath := named == "." || named == ".." || strings.ContainsRune(named, filepath.Separator) ||
		strings.ContainsRune(named, '/')
	switch {
	case err == nil && info.IsDir():
		if !isPath && isRef(ctx, dir, named) {
			return Variant{}, fmt.Errorf("%s is both a folder and a git ref: write ./%s for the "+
				"folder or refs/heads/%s for the branch", named, named, named)
		}
		return InFolder(named, path, command)
	case err == nil:
		return preparePatch(ctx, dir, named, path, into, command)
	case slices.Contains([]string{".patch", ".diff"}, filepath.Ext(named)):
		return Variant{}, fmt.Errorf("patch file %s is missing", named)
	}
	return prepareRef(ctx, dir, named, into, command)
}
