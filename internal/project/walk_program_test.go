package project

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A program needs no ending: its first line says that Python runs it.
func TestProgramsWithoutEnding(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"train": "#!/usr/bin/env python3\nimport torch\n", "fetch": "#!/bin/sh\necho python\n", "LICENSE": "MIT\n", "empty": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(context.Background(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Modules) != 1 || filepath.Base(p.Modules[0].Path) != "train" {
		t.Errorf("read %d modules", len(p.Modules))
	}
}
