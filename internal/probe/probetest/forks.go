package probetest

import (
	"bufio"
	_ "embed"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

//go:embed host.py
var host []byte

// Server runs Python programs that have torch imported already: that takes seconds, and a small program does not.
type Server struct {
	once    sync.Once
	cmd     *exec.Cmd
	alive   io.Closer // the server ends when it is closed, and so when the test is killed
	folder  string
	command []string
	err     error
}

// Command is what stands before the name of a program, and runs it as its interpreter would. Programs end with the
// server.
func (s *Server) Command(t testing.TB, python string) []string {
	t.Helper()
	s.once.Do(func() { s.err = s.start(python) })
	if s.err != nil {
		t.Fatalf("Python with torch does not start: %v", s.err)
	}
	return append([]string(nil), s.command...)
}

// Ranks is the same for a program of which torchrun would start n.
func (s *Server) Ranks(t testing.TB, python string, n int) []string {
	t.Helper()
	return append(s.Command(t, python), "--ranks", strconv.Itoa(n))
}

func (s *Server) start(python string) (err error) {
	if s.folder, err = os.MkdirTemp("", "host"); err != nil { // t.TempDir is too long for a socket
		return err
	}
	script, socket := filepath.Join(s.folder, "host.py"), filepath.Join(s.folder, "s")
	if err := os.WriteFile(script, host, 0o600); err != nil {
		return err
	}
	s.command = []string{python, script, socket}
	s.cmd = exec.Command(python, script, socket)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if s.alive, err = s.cmd.StdinPipe(); err != nil {
		return err
	}
	if err := s.cmd.Start(); err != nil {
		return err
	}
	_, err = bufio.NewReader(out).ReadString('\n')
	return err
}

// Close ends the server. Calling it is for TestMain.
func (s *Server) Close() {
	if s.alive != nil {
		s.alive.Close()
		_ = s.cmd.Wait()
	}
	if s.folder != "" {
		os.RemoveAll(s.folder)
	}
}
