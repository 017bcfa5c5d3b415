// Package py holds the attention lab for PyTorch and JAX: Python sources that are written out for people to read and
// use, and that the torch and JAX executors run. PROTOCOL.md says what the runner reads and writes.
package py

import (
	"embed"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"saturate/internal/files"
)

//go:embed *.py saturate_bench/*.py
var sources embed.FS

// Runner is the program that carries out a plan.
const Runner = "saturate_bench_run.py"

// Files gives the texts by their paths within the folder they are written to.
func Files() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		_ = fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := sources.ReadFile(name)
			if err == nil && !yield(name, text) {
				err = fs.SkipAll
			}
			return err // there is none: the files are in this program
		})
	}
}

// Write puts all files into a folder, which it makes.
func Write(dir string) error {
	for name, text := range Files() {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("cannot create the folder for %s: %w", name, err)
		}
		if err := files.Write(path, text); err != nil {
			return err
		}
	}
	return nil
}
