//go:build unix

package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFirstSignal: a command that waits, for what a pipe named on the command line or stdin brings or for whoever reads
// its output, ends at the first signal. One that refuses a pipe has ended already.
func TestFirstSignal(t *testing.T) {
	if args := os.Getenv("SATURATE_ARGUMENTS"); args != "" {
		os.Exit(Main(System(), strings.Split(args, "\n")))
	}
	trace, err := filepath.Abs("../../testdata/traces/starved.pt.trace.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args  string
		waits bool
	}{
		{"analyze pipe", true},
		{"analyze /dev/stdin", true},
		{"export pipe -o out.json", true},
		{"tts --engine formant pipe -o speech", true},
		{"tts --engine formant - -o speech", true},
		{"config -o output.txt", true},
		{"analyze " + trace + " -o output.txt", true},
		{"export " + trace + " -o output.json", true},
		{"mel pipe -o out.h5", false},
		{"mel --check pipe", false},
		{"mel --check pipe.h5", false},
		{"mel --check pipe.parquet", false},
		{"mel --check folder", false},
		{"report pipe", false},
		{"compare steps.jsonl pipe", false},
		{"scan --baseline pipe folder", false},
		{"scan pipe.py", false},
		{"instrument pipe.py", false},
		{"--env-file pipe config", false},
	} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			dir := t.TempDir()
			for _, name := range []string{"pipe", "pipe.h5", "pipe.parquet", "pipe.py", "output.txt", "output.json", "folder/mel.npy"} {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := syscall.Mkfifo(path, 0o600); err != nil {
					t.Skipf("a pipe cannot be made: %v", err)
				}
			}
			for name, text := range map[string]string{"steps.jsonl": `{"step": 1, "s": 0.1}`, "folder/attributes.json": "{}"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a command that does not end
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestFirstSignal$")
			cmd.Dir, cmd.Stdin = dir, read
			cmd.Env = append(os.Environ(), "SATURATE_ARGUMENTS="+strings.ReplaceAll(c.args, " ", "\n"), "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir)
			var said bytes.Buffer
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			if c.waits {
				time.Sleep(200 * time.Millisecond) // a signal that comes too early ends it too
				select {
				case err := <-ended:
					t.Errorf("%s does not wait: %v %s", c.args, err, said.String())
				default:
					_ = cmd.Process.Signal(sig)
					<-ended
				}
			} else {
				<-ended
			}
			if ctx.Err() != nil {
				t.Errorf("%s did not end at %v", c.args, sig)
			}
			if code := cmd.ProcessState.ExitCode(); !c.waits && (code != 2 || !strings.Contains(said.String(), "not a regular file")) {
				t.Errorf("%s: exit code %d: %s", c.args, code, said.String())
			}
			cancel()
			read.Close()
			write.Close()
		}
	}
}
