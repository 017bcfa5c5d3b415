// Package py holds the attention lab for PyTorch and JAX: Python sources that are written out for people to read and
// use, and that the torch and JAX executors run. The lab itself is saturate_gpu.lab, here under the name
// saturate_bench. PROTOCOL.md says what the runner reads and writes.
package py

import (
	"bytes"
	"embed"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"saturate/internal/files"
	runtime "saturate/python"
)

//go:embed *.py
var sources embed.FS

// Runner is the program that carries out a plan.
const Runner = "saturate_bench_run.py"

// Files gives the texts by their paths within the folder they are written to.
func Files() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		list := map[string][]byte{}
		for name, text := range runtime.Lab() {
			list["saturate_bench/"+name] = bytes.ReplaceAll(text, []byte("saturate_gpu.lab"), []byte("saturate_bench"))
		}
		entries, _ := sources.ReadDir(".") // it is embedded
		for _, entry := range entries {
			list[entry.Name()], _ = sources.ReadFile(entry.Name())
		}
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if !yield(name, list[name]) {
				return
			}
		}
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
