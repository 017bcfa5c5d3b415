package process

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// handed describes the program that a fork server's child becomes. With it go stdin, stdout and stderr, and either the
// namespaces of this process (user, mounts) or Landlock's rules.
type handed struct {
	Kind    Kind     `json:"kind"`
	Group   int      `json:"group"`
	Program string   `json:"program"`
	Words   []string `json:"words"`   // behind the program
	Options []string `json:"options"` // of the interpreter: a part of the words
	Args    []string `json:"argv"`    // the rest of them
	Dir     string   `json:"dir"`
	Environ []string `json:"environ"`
}

// handOver lets a fork server's child become the program, in the namespaces and the process group of this process, and
// ends as the program ends. It does not return unless it fails.
func (c confined) handOver(rules int) error {
	// they are for the program, which is in this group
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	fds := []int{0, 1, 2}
	switch c.Kind {
	case Overlay:
		for _, name := range []string{"user", "mnt"} {
			fd, err := unix.Open("/proc/thread-self/ns/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
			if err != nil {
				return err
			}
			fds = append(fds, fd)
		}
	case Landlock:
		fds = append(fds, rules)
	}
	text, err := json.Marshal(handed{
		Kind: c.Kind, Group: unix.Getpgrp(), Program: os.Args[1], Words: os.Args[2:], Options: c.Options, Args: c.Args, Dir: c.Dir, Environ: os.Environ(),
	})
	if err != nil {
		return err
	}
	size := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	if err := unix.Sendmsg(c.Fork, size, unix.UnixRights(fds...), nil, 0); err != nil {
		return fmt.Errorf("the fork server does not answer: %w", err)
	}
	socket := os.NewFile(uintptr(c.Fork), "fork server")
	if _, err := socket.Write(text); err != nil {
		return fmt.Errorf("the fork server does not answer: %w", err)
	}
	status := make([]byte, 4)
	if _, err := io.ReadFull(socket, status); err != nil {
		return errors.New("the fork server has ended")
	}
	switch ended := syscall.WaitStatus(binary.LittleEndian.Uint32(status)); {
	case ended.Signaled():
		os.Exit(128 + int(ended.Signal()))
	default:
		os.Exit(ended.ExitStatus())
	}
	return nil
}
