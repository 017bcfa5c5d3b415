// Package devicetest plays back recorded machines, so that detection is tested against hardware that
// the test machine does not have. A machine is one txtar file:
//
//	-- os --                     linux, darwin or windows
//	-- env --                    KEY=VALUE lines
//	-- /proc/cpuinfo --          a file, by its path
//	-- $ nvidia-smi --query… --  what a command prints
//	-- ! nvidia-smi --query… --  what a command says when it fails; … is an argument of several lines
//	-- cuda.json --              the NVIDIA driver library's answer; without it there is no library
package devicetest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"saturate/internal/cuda"
	"saturate/internal/device"
	"saturate/internal/process"
)

// Machine is a recorded System.
type Machine struct {
	files map[string]string
}

var _ device.System = Machine{}

// Load reads a machine's file.
func Load(t testing.TB, name string) Machine {
	t.Helper()
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := Machine{files: map[string]string{}}
	for _, file := range archive.Files {
		m.files[file.Name] = string(file.Data)
	}
	return m
}

// With is the same machine with one entry changed or added.
func (m Machine) With(name, content string) Machine {
	changed := Machine{files: map[string]string{name: content}}
	for other, text := range m.files {
		if other != name {
			changed.files[other] = text
		}
	}
	return changed
}

// OS is the recorded operating system.
func (m Machine) OS() string { return strings.TrimSpace(m.files["os"]) }

// ReadFile gives a recorded file.
func (m Machine) ReadFile(name string) ([]byte, error) {
	if text, ok := m.files[name]; ok && strings.HasPrefix(name, "/") {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// Glob gives the recorded files that match.
func (m Machine) Glob(pattern string) []string {
	var names []string
	for name := range m.files {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Getenv gives a recorded variable.
func (m Machine) Getenv(name string) (string, bool) {
	for line := range strings.Lines(m.files["env"]) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// Run plays a recorded command; any other is not installed.
func (m Machine) Run(_ context.Context, name string, args ...string) ([]byte, error) {
	command := name
	for _, arg := range args {
		if strings.Contains(arg, "\n") {
			arg = "…"
		}
		command += " " + arg
	}
	if out, ok := m.files["$ "+command]; ok {
		return []byte(out), nil
	}
	if said, ok := m.files["! "+command]; ok {
		return nil, errors.New(name + " failed (exit status 2): " + strings.TrimSpace(said))
	}
	return nil, &exec.Error{Name: name, Err: exec.ErrNotFound}
}

// CUDA plays the driver's answer; the copies in it are left out unless they are measured.
func (m Machine) CUDA(_ context.Context, measure bool) (device.CUDADriver, error) {
	var driver device.CUDADriver
	text, ok := m.files["cuda.json"]
	if !ok {
		return driver, cuda.ErrUnavailable
	}
	if err := json.Unmarshal([]byte(text), &driver); err != nil {
		return driver, err
	}
	if !measure {
		for i := range driver.Devices {
			driver.Devices[i].FreeBytes, driver.Devices[i].Copies, driver.Devices[i].Problem = 0, nil, ""
		}
	}
	return driver, nil
}

// Interpreters gives those of the recorded variables, and the usual names.
func (m Machine) Interpreters() (list []process.Interpreter) {
	for _, variable := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix, _ := m.Getenv(variable); prefix != "" {
			list = append(list, process.Interpreter{Origin: variable, Path: prefix + "/bin/python"})
		}
	}
	return append(list, process.Interpreter{Origin: "PATH", Path: "python3"}, process.Interpreter{
		Origin: "PATH",
		Path:   "python",
	})
}
