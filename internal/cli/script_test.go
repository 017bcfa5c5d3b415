package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"saturate": func() {
			env := System()
			env.Cores = 12 // whatever machine tests
			os.Exit(Main(env, os.Args[1:]))
		},
		"trainer": trainer,
	})
}

// Each script is a user's terminal: what is typed, and what is to be seen.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition: func(c string) (bool, error) {
			switch c {
			case "root":
				return os.Geteuid() == 0, nil
			case "gpu":
				_, err := os.Stat("/dev/nvidia0")
				return err == nil, nil
			case "accept":
				return os.Getenv("SATURATE_ACCEPT") != "", nil
			case "torch":
				return os.Getenv("SATURATE_TEST_PYTHON") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
		Setup: func(e *testscript.Env) error {
			traces, err := filepath.Abs("../../testdata/traces")
			e.Setenv("TRACES", traces)
			e.Setenv("PYTHON", os.Getenv("SATURATE_TEST_PYTHON"))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":         exits,
			"write":         write,
			"hostile-trace": hostileTrace,
		},
	})
}

// exits CODE COMMAND…: runs the command and requires its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	code := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		code = err.Error()[len("exit status "):]
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// write FILE [TIMES TEXT]…: makes a file of texts, each repeated; a text is written as in Go, without its quotes.
func write(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: write FILE [TIMES TEXT]…")
	}
	var content strings.Builder
	for rest := args[1:]; len(rest) > 0; rest = rest[2:] {
		times, err := strconv.Atoi(rest[0])
		ts.Check(err)
		text, err := strconv.Unquote(`"` + rest[1] + `"`)
		ts.Check(err)
		content.WriteString(strings.Repeat(text, times))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(content.String()), 0o644))
}
