package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// writeDocs has the program of this machine write its manual pages and completions.
func writeDocs(dir string) error {
	program := filepath.Join(dir, "saturate.exe")
	build := exec.Command("go", "build", "-o", program, "./cmd/saturate")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	defer os.Remove(program)
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	if said, err := exec.Command(program, "man", filepath.Join(dir, "man")).CombinedOutput(); err != nil {
		return fmt.Errorf("saturate man: %w\n%s", err, said)
	}
	completions := filepath.Join(dir, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	for shell, name := range map[string]string{
		"bash": "saturate.bash", "zsh": "_saturate", "fish": "saturate.fish",
		"powershell": "saturate.ps1",
	} {
		script, err := exec.Command(program, "completion", shell).Output()
		if err == nil {
			err = os.WriteFile(filepath.Join(completions, name), script, 0o644)
		}
		if err != nil {
			return fmt.Errorf("saturate completion %s: %w", shell, err)
		}
	}
	return nil
}

// collect reads the files below a folder, and some more.
func collect(dir string, more ...string) ([]file, error) {
	var list []file
	for _, name := range more {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, file{name, data, 0o644})
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		list = append(list, file{filepath.ToSlash(name), data, 0o644})
		return err
	})
	return list, err
}
