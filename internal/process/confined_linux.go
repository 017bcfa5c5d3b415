package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A process that was started to confine itself does nothing else.
func init() {
	if text, ok := os.LookupEnv(confinedVariable); ok && os.Args[0] == confinedName {
		fmt.Fprintf(os.Stderr, "saturate: the program cannot be confined: %v\n", becomeConfined(text))
		os.Exit(126)
	}
}

// becomeConfined does not return unless it fails.
func becomeConfined(text string) error {
	runtime.LockOSThread()
	var told confined
	if err := json.Unmarshal([]byte(text), &told); err != nil {
		return err
	}
	if err := os.Unsetenv(confinedVariable); err != nil {
		return err
	}
	switch told.Kind {
	case Overlay:
		if err := told.overlay(); err != nil {
			return err
		}
	case Landlock:
		rules, err := told.landlock()
		if err != nil {
			return err
		}
		if told.Fork > 0 {
			return told.handOver(rules)
		}
		if err := restrict(rules); err != nil {
			return err
		}
	}
	if told.Fork > 0 {
		return told.handOver(-1)
	}
	if err := os.Chdir(told.Dir); err != nil { // again: something may be mounted over the folder
		return err
	}
	return fmt.Errorf("%s: %w", told.Program, syscall.Exec(told.Program, os.Args[1:], os.Environ()))
}

// leftAlone are folders at the top of the file system that hold no files of anybody's.
var leftAlone = []string{"/proc", "/sys", "/dev", "/run"}

// ownKinds are file systems that are the kernel's.
var ownKinds = []string{
	"proc", "sysfs", "devtmpfs", "devpts", "mqueue", "cgroup", "cgroup2", "securityfs", "debugfs",
	"tracefs", "bpf", "fusectl", "configfs", "pstore", "hugetlbfs", "binfmt_misc", "nsfs", "autofs",
}

// layer is a folder that gets an overlay.
type layer struct {
	path string
	fd   int // of what lies there now

	through bool // no overlay: what is written is written for real
}

// overlay puts an overlay over each folder at the top and over what is mounted below, and brings the program's own
// folders back. What is written lies in memory, for it must lie on another file system than what it lies over.
func (c confined) overlay() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("its mounts cannot be made private: %w", err)
	}
	layers, rest, err := c.layers()
	if err != nil {
		return err
	}
	if len(layers) == 0 {
		return nil
	}
	scratch := layers[0].path // any folder will do: what lies there is open, and gets an overlay
	if err := unix.Mount("tmpfs", scratch, "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("cannot make a folder for what it writes: %w", err)
	}
	root, err := unix.Open(scratch, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	var over []string
	for _, l := range layers {
		if l.through {
			if err := unix.Mount(at(l.fd), l.path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil && !gone(l.path) {
				return fmt.Errorf("%s cannot be written: %w", l.path, err)
			}
			continue
		}
		base := filepath.Join(at(root), fmt.Sprint(len(over)))
		upper, work := filepath.Join(base, "upper"), filepath.Join(base, "work")
		if err := errors.Join(os.MkdirAll(upper, 0o755), os.MkdirAll(work, 0o755)); err != nil {
			return err
		}
		var mode unix.Stat_t
		if unix.Stat(at(l.fd), &mode) == nil {
			_ = os.Chmod(upper, os.FileMode(mode.Mode&0o777)|sticky(mode.Mode))
		}
		options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s,userxattr", at(l.fd), upper, work)
		if err := unix.Mount("overlay", l.path, "overlay", 0, options); err != nil {
			if gone(l.path) {
				continue
			}
			return fmt.Errorf("%s cannot be overlaid: %w", l.path, err)
		}
		over = append(over, l.path)
	}
	for _, path := range rest { // what lies in them beside other mounts can only be read
		attributes := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
		if err := unix.MountSetattr(unix.AT_FDCWD, path, 0, &attributes); err != nil && !gone(path) {
			return fmt.Errorf("%s cannot be made read-only: %w", path, err)
		}
	}
	if err := c.answer(root, over); err != nil {
		return err
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	return nil
}

// gone is true of a folder that somebody took away since the mounts were listed: nothing in it can be written.
func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func sticky(mode uint32) os.FileMode {
	if mode&unix.S_ISVTX != 0 {
		return os.ModeSticky
	}
	return 0
}

func at(fd int) string { return fmt.Sprintf("/proc/self/fd/%d", fd) }

// answer hands over the folder with what is written.
func (c confined) answer(root int, over []string) error {
	readable, err := unix.Open(at(root), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(readable)
	defer unix.Close(c.Answer)
	return unix.Sendmsg(c.Answer, []byte(strings.Join(over, "\n")), unix.UnixRights(readable), nil, 0)
}

// layers are the folders to overlay and those to write through, the upper ones first; rest are mounts that cannot be
// overlaid as a whole. A folder with another mount in it cannot be, nor one of another user's: what is written below
// would have to be theirs. Then those in it are, and it is read-only. Each is opened before anything lies over it.
func (c confined) layers() (layers []layer, rest []string, err error) {
	mounts, err := mountPoints()
	if err != nil {
		return nil, nil, err
	}
	cover := covering{mounts: mounts, uid: os.Getuid()}
	for _, m := range mounts {
		first, _, _ := strings.Cut(strings.TrimPrefix(m.path, "/"), "/")
		switch {
		case slices.Contains(leftAlone, "/"+first):
		case slices.Contains(ownKinds, m.kind) || strings.HasPrefix(m.kind, "fuse"):
			cover.add(m.path, true)
		case !cover.expand(m.path, 0):
			rest = append(rest, m.path)
		}
	}
	for _, path := range c.Writable {
		cover.add(path, true)
	}
	slices.SortStableFunc(cover.layers, func(a, b layer) int { return len(a.path) - len(b.path) })
	return cover.layers, rest, nil
}

// covering collects layers.
type covering struct {
	mounts []mountPoint
	uid    int
	layers []layer
}

func (c *covering) add(path string, through bool) {
	if fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		c.layers = append(c.layers, layer{path, fd, through})
	}
}

func (c *covering) isMount(folder string) bool {
	return slices.ContainsFunc(c.mounts, func(m mountPoint) bool { return m.path == folder })
}

// holdsMount reports whether there is another mount inside a folder.
func (c *covering) holdsMount(folder string) bool {
	return slices.ContainsFunc(c.mounts, func(m mountPoint) bool {
		return m.path != folder && strings.HasPrefix(m.path, strings.TrimSuffix(folder, "/")+"/")
	})
}

// expand adds a folder as a whole, or what can be added of the folders in it.
func (c *covering) expand(folder string, depth int) (whole bool) {
	var about unix.Stat_t
	if unix.Stat(folder, &about) != nil || len(c.layers) >= mostLayers {
		return false
	}
	ours, shared := c.uid == 0 || int(about.Uid) == c.uid, about.Mode&0o1777 == 0o1777
	holds := c.holdsMount(folder)
	switch {
	case ours && !holds:
		c.add(folder, false)
		return true
	case slices.Contains(system, folder) && !ours, depth == deepest && !holds:
		return false
	case shared && !ours:
		c.add(folder, true) // anybody makes files there
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case !e.IsDir() || c.isMount(path):
		case slices.Contains(leftAlone, path):
			c.add(path, true)
		default:
			c.expand(path, depth+1)
		}
	}
	return false
}

const (
	mostLayers = 400
	deepest    = 3 // how far down folders of one's own are looked for in those of others
)

// system are folders that only an administrator writes to.
var system = []string{"/usr", "/etc", "/boot", "/lib", "/lib64", "/bin", "/sbin", "/var/lib"}

type mountPoint struct{ path, kind string }

// mountPoints are the folders on which something is mounted, each once: what was mounted last counts.
func mountPoints() ([]mountPoint, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var list []mountPoint
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if dash < 5 || dash+1 >= len(fields) {
			continue
		}
		m := mountPoint{unescaped(fields[4]), fields[dash+1]}
		list = append(slices.DeleteFunc(list, func(o mountPoint) bool { return o.path == m.path }), m)
	}
	return list, nil
}

// unescaped undoes what mountinfo does to blanks.
func unescaped(path string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(path)
}

// landlock makes rules by which the kernel refuses all that changes files outside the program's own folders.
func (c confined) landlock() (rules int, err error) {
	version, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if failed != 0 {
		return 0, failed
	}
	const writes = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	access := uint64(writes)
	if version >= 2 {
		access |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		access |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	attributes := unix.LandlockRulesetAttr{Handled_access_fs: access}
	ruleset, _, failed := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attributes)),
		unsafe.Sizeof(attributes.Handled_access_fs), 0)
	if failed != 0 {
		return 0, failed
	}
	for _, path := range append(slices.Clone(c.Writable), os.TempDir(), "/dev", "/proc", "/run") {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
		_, _, failed := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
		unix.Close(fd)
		if failed != 0 {
			return 0, failed
		}
	}
	return int(ruleset), nil
}

// restrict puts this process under rules.
func restrict(rules int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if _, _, failed := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); failed != 0 {
		return failed
	}
	return nil
}
