package process

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// confined holds the instructions for the child that confines itself, passed in a variable.
type confined struct {
	Kind     Kind     `json:"kind"`
	Program  string   `json:"program"`
	Dir      string   `json:"dir"`
	Writable []string `json:"writable"`
	Answer   int      `json:"answer"`         // the file descriptor on which it hands over the folder of what was written
	Fork     int      `json:"fork,omitempty"` // that of the socket of a fork server; 0: the program is started
	Options  []string `json:"options,omitempty"`
	Args     []string `json:"args,omitempty"`
}

const (
	confinedName     = "saturate-confined"
	confinedVariable = "SATURATE_CONFINED"
)

// How this machine confines programs, found out once.
var kind = sync.OnceValue(func() Kind {
	for _, k := range []Kind{Overlay, Landlock} {
		cmd := exec.Command("/bin/true")
		if done, err := (Confinement{}).apply(k, cmd); err == nil {
			err = cmd.Run()
			done()
			if err == nil {
				return k
			}
		}
	}
	return Open
})

// How tells how programs are confined on this machine.
func How() Kind { return kind() }

// Apply makes a command confine itself before it starts its program. done is called when it has ended, and names the
// files outside its folders that it wrote to and that are as they were.
func (c Confinement) Apply(cmd *exec.Cmd) (done func() []string, err error) {
	return c.apply(How(), cmd)
}

func (c Confinement) apply(k Kind, cmd *exec.Cmd) (done func() []string, err error) {
	none := func() []string { return nil }
	self, err := running()
	switch {
	case cmd.Err != nil:
		return none, nil
	case (k == Open || err != nil) && c.Fork == nil:
		return c.watch(), nil
	case err != nil:
		return none, err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	dir := cmd.Dir
	if dir, err = filepath.Abs(dir); err != nil {
		return none, err
	}
	program := cmd.Path
	if !filepath.IsAbs(program) {
		program = filepath.Join(dir, program)
	}
	told := confined{Kind: k, Program: program, Dir: dir, Writable: c.writable(cmd.Env)}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	done = none
	if f := c.Fork; f != nil {
		told.Fork, told.Options, told.Args = 3+len(cmd.ExtraFiles), f.Options, f.Args
		cmd.ExtraFiles = append(cmd.ExtraFiles, f.Socket)
	}
	if k == Open {
		done = c.watch()
	}
	if k == Overlay {
		if done, err = receiver(cmd, &told); err != nil {
			return none, err
		}
		a := cmd.SysProcAttr
		a.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
		a.UidMappings, a.GidMappings = identity("/proc/self/uid_map", os.Getuid()), identity("/proc/self/gid_map",
			os.Getgid())
		// what overlays need of who mounts them
		a.AmbientCaps = []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER,
			unix.CAP_CHOWN, unix.CAP_FSETID,
		}
	}
	text, err := json.Marshal(told)
	if err != nil {
		return none, err
	}
	cmd.Env = append(slices.Clone(cmd.Env), confinedVariable+"="+string(text))
	cmd.Path, cmd.Args = self, append([]string{confinedName}, cmd.Args...)
	return done, nil
}

// running is this program, also where its file was replaced or removed since it started: an experiment takes long.
func running() (string, error) {
	const link = "/proc/self/exe"
	if _, err := os.Stat(link); err == nil {
		return link, nil
	}
	return os.Executable()
}

// identity keeps users and groups as they are: an administrator all of them, others themselves.
func identity(path string, id int) (list []syscall.SysProcIDMap) {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		var inside, outside, size int
		if n, _ := fmt.Sscan(line, &inside, &outside, &size); n == 3 && os.Getuid() == 0 {
			list = append(list, syscall.SysProcIDMap{ContainerID: inside, HostID: inside, Size: size})
		}
	}
	if len(list) == 0 {
		list = append(list, syscall.SysProcIDMap{ContainerID: id, HostID: id, Size: 1})
	}
	return list
}

// receiver takes from the child the folder that holds what its program writes: it is gone with the program, except for who
// has it open.
func receiver(cmd *exec.Cmd, told *confined) (func() []string, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("the program cannot be confined: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(ends[0]), "confined"), os.NewFile(uintptr(ends[1]), "confined")
	told.Answer = 3 + len(cmd.ExtraFiles)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	return func() []string {
		theirs.Close()
		defer ours.Close()
		_ = unix.SetsockoptTimeval(ends[0], unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1})
		text, rights := make([]byte, 1<<16), make([]byte, 64)
		n, space, err := 0, 0, error(unix.EINTR)
		// a call with a time limit is not begun again after a signal, and Go's scheduler sends signals
		for err == unix.EINTR {
			n, space, _, _, err = unix.Recvmsg(ends[0], text, rights, 0)
		}
		if err != nil || n == 0 {
			return nil
		}
		messages, err := unix.ParseSocketControlMessage(rights[:space])
		if err != nil || len(messages) == 0 {
			return nil
		}
		fds, err := unix.ParseUnixRights(&messages[0])
		if err != nil || len(fds) == 0 {
			return nil
		}
		folder := os.NewFile(uintptr(fds[0]), "written")
		defer folder.Close()
		return outside(written(folder, strings.Split(string(text[:n]), "\n")))
	}, nil
}

// written lists the files in the upper folders of overlays; at says what each lies over.
func written(folder *os.File, at []string) (list []string) {
	const most = 1000
	root := fmt.Sprintf("/proc/self/fd/%d", folder.Fd())
	for i, over := range at {
		upper := filepath.Join(root, fmt.Sprint(i), "upper")
		_ = filepath.WalkDir(upper, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if name, err := filepath.Rel(upper, path); err == nil && len(list) < most {
				list = append(list, filepath.Join(over, name))
			}
			return nil
		})
	}
	slices.Sort(list)
	return list
}
