package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"saturate": func() { os.Exit(Main(System(), os.Args[1:])) },
		"trainer":  trainer,
	})
}

// Each script is a user's terminal: what is typed, and what is to be seen.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Condition: func(c string) (bool, error) {
			if c == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
		Setup: func(e *testscript.Env) error {
			traces, err := filepath.Abs("../../testdata/traces")
			e.Setenv("TRACES", traces)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
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
