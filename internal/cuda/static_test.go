package cuda

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tag nocuda is the promise of a fully static program: no interpreter, no shared libraries.
// The default build shows that the test can tell the difference.
func TestNocudaIsStatic(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs; not in short mode")
	}
	tests := []struct {
		name, program, tags string
		static              bool
	}{
		{"loader nocuda", "./testdata/loader", "nocuda", true},
		{"loader default", "./testdata/loader", "", false},
		{"saturate nocuda", "../../cmd/saturate", "nocuda", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := os.Stat(test.program); err != nil {
				t.Skipf("no %s to build", test.program)
			}
			program := buildLinux(t, test.program, test.tags)
			file, err := elf.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			libraries, err := file.ImportedLibraries()
			if err != nil {
				t.Fatal(err)
			}
			var interpreted bool
			for _, segment := range file.Progs {
				interpreted = interpreted || segment.Type == elf.PT_INTERP
			}
			if static := !interpreted && len(libraries) == 0; static != test.static {
				t.Errorf("static is %v, want %v: interpreter %v, libraries %q", static, test.static, interpreted, libraries)
			}
		})
	}
}

func buildLinux(t *testing.T, program, tags string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-tags", tags, "-o", out, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(build.Args, " "), err, text)
	}
	return out
}
