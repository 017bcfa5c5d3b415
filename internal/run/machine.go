package run

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine is the computer that a Run happened on.
type Machine struct {
	Host        string `json:"host,omitempty"`         // name of the machine
	OS          string `json:"os"`                     // Debian GNU/Linux 12, macOS 15.1
	Arch        string `json:"arch"`                   // architecture of the CPU
	Kernel      string `json:"kernel,omitempty"`       // version of the kernel
	CPU         string `json:"cpu,omitempty"`          // name of the CPU
	Cores       int    `json:"cores"`                  // logical ones that the process may run on
	UsableCores int    `json:"usable_cores"`           // as limited by the container besides
	MemoryBytes int64  `json:"memory_bytes,omitempty"` // memory of the machine
}

// thisMachine fills in what it can; the error tells what it could not.
func thisMachine() (Machine, error) {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), UsableCores: runtime.GOMAXPROCS(0)}
	var err error
	if m.Host, err = os.Hostname(); err != nil {
		err = fmt.Errorf("host name unknown: %w", err)
	}
	return m, errors.Join(err, describeMachine(&m))
}

// field returns the value of the first "key: value" line, as in /proc/cpuinfo and /proc/meminfo,
// or "key=value" line, as in /etc/os-release.
func field(r io.Reader, separator, key string) string {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), separator)
		if ok && strings.TrimSpace(name) == key {
			return strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return ""
}

// cpuModel reads /proc/cpuinfo. ARM cores have no model name there, only numbers.
func cpuModel(cpuinfo string) string {
	of := func(key string) string { return field(strings.NewReader(cpuinfo), ":", key) }
	for _, key := range []string{"model name", "Model", "Hardware", "cpu"} {
		if name := of(key); name != "" {
			return strings.Join(strings.Fields(name), " ")
		}
	}
	if part := of("CPU part"); part != "" {
		return fmt.Sprintf("ARM implementer %s, part %s", of("CPU implementer"), part)
	}
	return ""
}

// memoryTotal reads /proc/meminfo; 0 when it does not tell.
func memoryTotal(meminfo string) int64 {
	kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(field(strings.NewReader(meminfo), ":", "MemTotal"), " kB"), 10, 64)
	return kilobytes << 10
}
