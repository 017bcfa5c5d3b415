package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// scripts are programs that do not end by themselves. Each prints the pids that are to be gone.
var scripts = map[string]string{
	"alone":        `echo $$; exec sleep 1000`,
	"with a child": `sleep 1000 & echo $$ $!; wait`,
	"wrapped":      `sh -c 'echo $$; exec sleep 1000'; :`,
	"stubborn":     `trap '' TERM; sleep 1000 & echo $$ $!; wait`,
}

// TestMain is the process that is killed where a variable says which program it runs.
func TestMain(m *testing.M) {
	script, ok := scripts[os.Getenv("GROUP_TEST_SCRIPT")]
	if !ok {
		os.Exit(m.Run())
	}
	patience = 1
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Stdout = os.Stdout
	if os.Getenv("GROUP_TEST_OWN") != "" {
		Own(cmd)
	}
	err := cmd.Start()
	if err == nil {
		Bind(cmd)
		fmt.Println("bound")
		err = cmd.Wait()
	}
	fmt.Fprintln(os.Stderr, "not killed:", err)
	os.Exit(1)
}

// TestKilled kills a process without a word. The program that it runs holds its stdout, and so does all that the
// program has started: stdout ends when they are gone.
func TestKilled(t *testing.T) {
	for name := range scripts {
		t.Run(name, func(t *testing.T) { t.Parallel(); killed(t, name, "yes") })
	}
	t.Run("without a group", func(t *testing.T) { t.Parallel(); killed(t, "alone", "") })
}

func killed(t *testing.T, script, own string) {
	stdout, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	_ = stdout.SetReadDeadline(time.Now().Add(time.Minute)) // so that a failure is told
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), "GROUP_TEST_SCRIPT="+script, "GROUP_TEST_OWN="+own)
	process.Stdout, process.Stderr = theirs, os.Stderr
	err = process.Start()
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	lines, pids := bufio.NewReader(stdout), ""
	for range 2 { // that it is bound, and the program's, whichever comes first
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line != "bound\n" {
			pids = line
		}
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	if rest, err := io.ReadAll(lines); err != nil || len(rest) > 0 {
		t.Errorf("processes %s are still there (%v), and say %q", strings.TrimSpace(pids), err, rest)
		for _, pid := range strings.Fields(pids) {
			if id, err := strconv.Atoi(pid); err == nil {
				_ = syscall.Kill(id, syscall.SIGKILL)
			}
		}
	}
}

// TestReleased: a program that ends by itself may leave something running, which is then none of ours.
func TestReleased(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", "sleep 1000 >/dev/null & echo $!")
	var said strings.Builder
	cmd.Stdout = &said
	Own(cmd)
	if err := Run(cmd); err != nil {
		t.Fatal(err)
	}
	left, err := strconv.Atoi(strings.TrimSpace(said.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(left, syscall.SIGKILL); err != nil {
		t.Errorf("what the program left running is gone: %v", err)
	}
}

func TestRun(t *testing.T) {
	var exit *exec.ExitError
	if err := Run(exec.Command("/bin/sh", "-c", "exit 7")); !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("error %v, want exit code 7", err)
	}
	if err := Run(exec.Command("/none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v of a program that is not there", err)
	}
}
