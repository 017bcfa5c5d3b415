//go:build linux

package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// asNobody runs f without root's right to ignore permissions.
func asNobody(t *testing.T, f func()) {
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Setfsuid(65534); err != nil {
		t.Skip("cannot act as another user:", err)
	}
	defer unix.Setfsuid(0)
	f()
}

func TestReadOnlyFolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "runs")
	if err := os.Mkdir(root, 0o555); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		_, err := Create(root, "x", Options{})
		if err == nil || !strings.Contains(err.Error(), "permission denied") || !strings.Contains(err.Error(), root) || !strings.Contains(err.Error(), "writable") {
			t.Errorf("%v", err)
		}
	})
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("something is left: %v, %v", entries, err)
	}
}

func TestUnreadable(t *testing.T) {
	root := t.TempDir()
	recorder, err := Create(root, "x", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recorder.Finish(0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(recorder.Dir(), manifestName), 0); err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(root, "closed_2026-01-01_00000000")
	if err := os.Mkdir(closed, 0); err != nil {
		t.Fatal(err)
	}
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755) // for the other user to come here
	}
	asNobody(t, func() {
		runs, err := List(root)
		if err != nil || len(runs) != 2 {
			t.Fatalf("%v, %v", runs, err)
		}
		for _, r := range runs {
			if r.State != Damaged || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "permission denied") {
				t.Errorf("%+v", r)
			}
		}
		if _, err := List(closed); err == nil || !strings.Contains(err.Error(), "cannot list the runs") {
			t.Errorf("a closed root: %v", err)
		}
	})
}

// A pipe called run.json must not keep a reader waiting.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{manifestName, stepsName} {
		if err := unix.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Skip("no pipes here:", err)
		}
	}
	r, err := Read(dir)
	if err != nil || r.State != Damaged || !strings.Contains(strings.Join(r.Notes, "\n"), "not a regular file") {
		t.Errorf("%+v, %v", r, err)
	}
}
