package process

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestInterpreters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the interpreters are Unix scripts")
	}
	dir, _ := filepath.EvalSymlinks(t.TempDir())
	put := func(path string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	active, system := put("active/bin/python"), put("usr/bin/python3")
	put("project/.venv/bin/python")
	put("uvx/pyvenv.cfg")
	put("uvx/bin/python3")
	ours := put("uvx/bin/saturate")
	put("pipx/pyvenv.cfg")
	put("pipx/pipx_metadata.json")
	put("pipx/bin/python3")
	put("with-torch/pyvenv.cfg")
	put("with-torch/uv-receipt.toml")
	put("with-torch/lib/python3.12/site-packages/torch/__init__.py")
	torch := put("with-torch/bin/python3")
	defer func(before func() (string, error)) { self = before }(self)
	self = func() (string, error) { return ours, nil }

	t.Chdir(filepath.Join(dir, "project"))
	vars := map[string]string{"VIRTUAL_ENV": filepath.Join(dir, "active")}
	for _, name := range []string{".venv/bin", "uvx/bin", "pipx/bin", "with-torch/bin", "usr/bin"} {
		if name != ".venv/bin" {
			name = filepath.Join(dir, name)
		}
		vars["PATH"] += name + string(filepath.ListSeparator)
	}
	var got []string
	for _, i := range Interpreters(func(name string) string { return vars[name] }) {
		got = append(got, i.Path)
	}
	if want := []string{active, torch, system}; !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}

	// A program that is started finds no Python of a tool either, unless the user activated its environment.
	list := func(names ...string) string {
		for i, name := range names {
			names[i] = filepath.Join(dir, name, "bin")
		}
		return strings.Join(names, string(filepath.ListSeparator))
	}
	path := list("uvx", "pipx", "with-torch", "usr")
	if got, want := WithoutTools(path, ""), list("with-torch", "usr"); got != want {
		t.Errorf("PATH %s, want %s", got, want)
	}
	if got, want := WithoutTools(path, filepath.Join(dir, "uvx")), list("uvx", "with-torch", "usr"); got != want {
		t.Errorf("activated: PATH %s, want %s", got, want)
	}
}
