package patch

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// a project of three files: plain, executable with CRLF, and one behind a link
func project(t *testing.T) (root string, changes []Change) {
	t.Helper()
	root = t.TempDir()
	root, _ = filepath.EvalSymlinks(root)
	files := []struct {
		name string
		old  string
		mode os.FileMode
	}{{"a.py", "a = 1\n", 0o644}, {"b.py", "b = 1\r\n", 0o755}, {"real/c.py", "c = 1", 0o600}}
	for _, f := range files {
		path := filepath.Join(root, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.old), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, f.mode); err != nil {
			t.Fatal(err)
		}
		changes = append(changes, Change{f.name, []byte(f.old), []byte(strings.Replace(f.old, "1", "2", 1))})
	}
	if err := os.Symlink("real/c.py", filepath.Join(root, "c.py")); err != nil {
		t.Fatal(err)
	}
	changes[2].Path = "c.py"
	return root, changes
}

// is checks that every file has its old or its new bytes.
func is(t *testing.T, root string, changes []Change, side func(Change) []byte) {
	t.Helper()
	for _, c := range changes {
		if got, err := os.ReadFile(filepath.Join(root, c.Path)); err != nil || !bytes.Equal(got, side(c)) {
			t.Errorf("%s holds %q (%v), want %q", c.Path, got, err, side(c))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".*saturate*")); len(left) > 0 {
		t.Errorf("left lying: %v", left)
	}
}

func old(c Change) []byte   { return c.Old }
func fresh(c Change) []byte { return c.New }

func TestApplyAndUndo(t *testing.T) {
	root, changes := project(t)
	j := &Journal{Dir: t.TempDir()}
	if err := j.Apply(root, "fix", changes); err != nil {
		t.Fatal(err)
	}
	is(t, root, changes, fresh)
	if info, _ := os.Stat(filepath.Join(root, "b.py")); info.Mode().Perm() != 0o755 {
		t.Errorf("b.py has mode %v", info.Mode())
	}
	if info, _ := os.Lstat(filepath.Join(root, "c.py")); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the symbolic link became a file")
	}
	if _, err := j.Undo(t.TempDir()); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("undo in another project: %v", err)
	}
	if _, err := j.Undo(root); err != nil {
		t.Fatal(err)
	}
	is(t, root, changes, old)
	if _, err := j.Undo(root); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	root, changes := project(t)
	j := &Journal{Dir: t.TempDir()}
	path := filepath.Join(root, "b.py")
	if err := os.WriteFile(path, []byte("changed\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := j.Apply(root, "fix", changes)
	if err == nil || !strings.Contains(err.Error(), "b.py changed while this command was running") {
		t.Fatalf("error %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(root, "a.py")); string(got) != "a = 1\n" {
		t.Errorf("a.py was touched: %q", got)
	}

	root, changes = project(t)
	if err := j.Apply(root, "fix", changes); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a.py"), []byte("a = 3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Undo(root); err == nil || !strings.Contains(err.Error(), "was edited after the fix") {
		t.Errorf("undo over the user's change: %v", err)
	}
}

var errKilled = errors.New("killed")

// TestKilledAnywhere stops Apply and Undo at every point in turn; after Recover it is all or nothing.
// A killed process runs no clean-up, so the test takes over with a Journal that knows nothing.
func TestKilledAnywhere(t *testing.T) {
	points := 0
	for stop := 0; ; stop++ {
		for _, undo := range []bool{false, true} {
			root, changes := project(t)
			dir := t.TempDir()
			if undo {
				if err := (&Journal{Dir: dir}).Apply(root, "fix", changes); err != nil {
					t.Fatal(err)
				}
			}
			n, killed := 0, false
			j := &Journal{Dir: dir, crash: func(string) error {
				if n++; n > stop {
					killed = true
					panic(errKilled)
				}
				return nil
			}}
			func() {
				defer func() {
					if r := recover(); r != nil && r != errKilled {
						panic(r)
					}
				}()
				var err error
				if undo {
					_, err = j.Undo(root)
				} else {
					err = j.Apply(root, "fix", changes)
				}
				if err != nil {
					t.Fatal(err)
				}
			}()
			points = max(points, n)
			if _, err := (&Journal{Dir: dir}).Recover(); err != nil {
				t.Fatalf("stop %d: %v", stop, err)
			}
			first, _ := os.ReadFile(filepath.Join(root, changes[0].Path))
			side := old
			if bytes.Equal(first, changes[0].New) {
				side = fresh
			}
			is(t, root, changes, side)
			if again, err := (&Journal{Dir: dir}).Recover(); err != nil || len(again) > 0 {
				t.Errorf("stop %d: a second Recover did %v, %v", stop, again, err)
			}
			if !killed && undo {
				if points < 7 {
					t.Errorf("only %d points were tried", points)
				}
				return
			}
		}
	}
}

func TestRecoverLeavesOthersWorkAlone(t *testing.T) {
	root, changes := project(t)
	dir := t.TempDir()
	n := 0
	j := &Journal{Dir: dir, crash: func(p string) error {
		if p == "swapped" {
			if n++; n == 2 {
				panic(errKilled)
			}
		}
		return nil
	}}
	func() {
		defer func() { _ = recover() }()
		_ = j.Apply(root, "fix", changes)
	}()
	third := filepath.Join(root, "real/c.py")
	if err := os.WriteFile(third, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	messages, err := (&Journal{Dir: dir}).Recover()
	if err != nil || len(messages) != 1 || !strings.Contains(messages[0], "rolled back (2 files)") {
		t.Fatalf("%v %v", messages, err)
	}
	is(t, root, changes[:2], old)
	if got, _ := os.ReadFile(third); string(got) != "mine" {
		t.Errorf("c.py was touched: %q", got)
	}
}

// A disk that fills up in the middle: the error is reported and nothing has changed.
func TestFullDisk(t *testing.T) {
	for _, point := range []string{"content", "prepared", "staged", "swapped"} {
		root, changes := project(t)
		full := errors.New("no space left on device")
		hit := false
		j := &Journal{Dir: t.TempDir(), crash: func(p string) error {
			if p == point && !hit {
				hit = true
				return full
			}
			return nil
		}}
		if err := j.Apply(root, "fix", changes); !errors.Is(err, full) {
			t.Errorf("%s: %v", point, err)
		}
		is(t, root, changes, old)
		if m, err := j.Recover(); err != nil || len(m) > 0 {
			t.Errorf("%s: recover %v %v", point, m, err)
		}
	}
}

// Two names of one file cannot both be changed; a read-only file is refused even to a superuser.
func TestRefusedBeforeAnythingIsTouched(t *testing.T) {
	root, changes := project(t)
	j := &Journal{Dir: t.TempDir()}
	twice := append(changes, Change{"real/c.py", changes[2].Old, changes[2].New})
	if err := j.Apply(root, "fix", twice); err == nil || !strings.Contains(err.Error(), "is the same file as another") {
		t.Errorf("one file twice: %v", err)
	}
	if err := os.Chmod(filepath.Join(root, "b.py"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := j.Apply(root, "fix", changes); err == nil || !strings.Contains(err.Error(), "it is read-only") {
		t.Errorf("read-only: %v", err)
	}
	is(t, root, changes, old)
}

// Undo finds the change from the project's folder, from one above it, and from the file itself, not from beside it.
func TestUndoFromElsewhere(t *testing.T) {
	for _, c := range []struct {
		from string
		ok   bool
	}{{".", true}, {"real/c.py", true}, {"c.py", true}, {"beside", false}} {
		root, changes := project(t)
		if err := os.Mkdir(filepath.Join(root, "beside"), 0o755); err != nil {
			t.Fatal(err)
		}
		j := &Journal{Dir: t.TempDir()}
		if err := j.Apply(filepath.Join(root, "real"), "fix", []Change{{"c.py", changes[2].Old, changes[2].New}}); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Undo(filepath.Join(root, c.from)); (err == nil) != c.ok {
			t.Errorf("from %s: %v", c.from, err)
		}
	}
}

// While another process holds the journal, Recover does nothing and Apply refuses.
func TestTwoAtOnce(t *testing.T) {
	root, changes := project(t)
	j := &Journal{Dir: t.TempDir()}
	unlock, err := j.lock()
	if err != nil {
		t.Fatal(err)
	}
	if m, err := j.Recover(); len(m) > 0 || err != nil {
		t.Errorf("recover: %v %v", m, err)
	}
	if err := j.Apply(root, "fix", changes); err == nil || !strings.Contains(err.Error(), "another saturate command") {
		t.Errorf("apply: %v", err)
	}
	unlock()
	if err := j.Apply(root, "fix", changes); err != nil {
		t.Error(err)
	}
}

func TestOldChangesAreForgotten(t *testing.T) {
	root, changes := project(t)
	j := &Journal{Dir: t.TempDir()}
	for range kept/2 + 5 {
		if err := j.Apply(root, "fix", changes[:1]); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Undo(root); err != nil {
			t.Fatal(err)
		}
	}
	if dirs, _, err := j.changes(); err != nil || len(dirs) != kept {
		t.Errorf("%d changes are kept, %v", len(dirs), err)
	}
}
