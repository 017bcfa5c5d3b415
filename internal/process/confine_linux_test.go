package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A program that writes to a neighbor folder, to its home and to whole paths leaves their bytes and times as they
// were; in its own folders and in caches it writes for real.
func TestConfined(t *testing.T) {
	for _, k := range []Kind{Overlay, Landlock} {
		t.Run(string(k), func(t *testing.T) {
			if cmd := exec.Command("/bin/true"); !works(k, cmd) {
				t.Skipf("this kernel offers no %s here", k)
			}
			top := outsideTemp(t, k)
			own, home := filepath.Join(top, "copy/job"), filepath.Join(top, "home")
			files := []string{filepath.Join(top, "copy/ckpt/last.pt"), filepath.Join(home, "notes.txt"), filepath.Join(top, "data/list.csv")}
			for _, path := range append(files, filepath.Join(own, "mine"), filepath.Join(home, ".cache/kept")) {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte("the user's"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := stats(t, files)
			script := `for f in ../ckpt/last.pt "$HOME/notes.txt" ` + files[2] + `; do
  echo changed > "$f" && cat "$f"
done
rm -f ` + files[2] + `; mkdir ../new; echo x > "$HOME/new"
echo mine > mine; echo made > "$HOME/.cache/kept"; pwd; exit 7`
			cmd := exec.Command("/bin/sh", "-c", script)
			cmd.Dir, cmd.Env = own, append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME=")
			done, err := Confinement{Own: []string{own}}.apply(k, cmd)
			if err != nil {
				t.Fatal(err)
			}
			said, err := cmd.CombinedOutput()
			named := done()
			if ExitCode(cmd.ProcessState) != 7 || !strings.Contains(string(said), own+"\n") {
				t.Fatalf("%v: %s", err, said)
			}
			if after := stats(t, files); !slices.Equal(before, after) {
				t.Errorf("before %q\nafter  %q", before, after)
			}
			for path, want := range map[string]string{filepath.Join(own, "mine"): "mine\n", filepath.Join(home, ".cache/kept"): "made\n"} {
				if text, _ := os.ReadFile(path); string(text) != want {
					t.Errorf("%s is %q, want %q", path, text, want)
				}
			}
			if _, err := os.Stat(filepath.Join(home, "new")); err == nil {
				t.Error("a new file is in the home")
			}
			switch {
			case k == Overlay && (strings.Count(string(said), "changed") != 3 || !slices.Contains(named, files[0]) || !slices.Contains(named, files[1])):
				t.Errorf("the program sees %q of what it wrote, told of %q", said, named)
			case k == Landlock && !strings.Contains(string(said), "ermission denied"):
				t.Errorf("the program said %q", said)
			}
		})
	}
}

// Where nothing confines a program, what it changes beside its copy is found afterwards.
func TestWatched(t *testing.T) {
	top := t.TempDir()
	own, beside := filepath.Join(top, "copy/job"), filepath.Join(top, "ckpt")
	for _, dir := range []string{own, beside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(beside, filepath.Join(top, "copy/ckpt")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "sleep 0.1; echo 1 > ../ckpt/last.pt; echo 1 > mine")
	cmd.Dir = own
	done, err := Confinement{Own: []string{own}}.apply(Open, cmd)
	if err != nil || cmd.Run() != nil {
		t.Fatal(err)
	}
	if got := done(); !slices.Equal(got, []string{filepath.Join(beside, "last.pt")}) {
		t.Errorf("%q", got)
	}
}

func works(k Kind, cmd *exec.Cmd) bool {
	done, err := Confinement{}.apply(k, cmd)
	if err != nil {
		return false
	}
	defer done()
	return cmd.Run() == nil
}

// outsideTemp is a folder; where temporary files may be written, as under Landlock, one elsewhere.
func outsideTemp(t *testing.T, k Kind) string {
	t.Helper()
	if k == Overlay {
		return t.TempDir()
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	top, err := os.MkdirTemp(here, "confined-")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	if strings.HasPrefix(top, os.TempDir()) {
		t.Setenv("TMPDIR", t.TempDir())
	}
	return top
}

func stats(t *testing.T, paths []string) (list []string) {
	t.Helper()
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, path, string(text), info.ModTime().String(), info.Mode().String())
	}
	return list
}

// TestConfinedWithoutItsFile: while an experiment runs, a newer version may take the place of this program's file.
func TestConfinedWithoutItsFile(t *testing.T) {
	if path := os.Getenv("PROCESS_TEST_REMOVE"); path != "" {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/bin/echo", "it runs")
		done, err := Confinement{}.Apply(cmd)
		if err != nil {
			t.Fatal(err)
		}
		said, err := cmd.CombinedOutput()
		done()
		t.Logf("%v: %s", err, said)
		return
	}
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "self")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "-test.v", "-test.run=^TestConfinedWithoutItsFile$")
	cmd.Env = append(os.Environ(), "PROCESS_TEST_REMOVE="+path)
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "<nil>: it runs") {
		t.Errorf("%v: %s", err, said)
	}
}
