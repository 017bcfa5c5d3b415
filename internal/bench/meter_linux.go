package bench

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"saturate/internal/files"
)

// meter measures how much memory this process takes on while something runs.
type meter struct {
	operands int64
	before   int64
	exact    bool // the kernel could be made to forget the highest mark so far
}

// startMeter begins when the operands exist already and nothing else does.
func startMeter(operands int64) *meter {
	debug.FreeOSMemory()
	m := &meter{operands: operands, exact: os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil}
	m.before = status("VmRSS")
	return m
}

// stop gives what was taken on since, at the most and now, with the operands.
func (m *meter) stop() *Memory {
	peak, now := status("VmHWM"), status("VmRSS")
	if !m.exact || peak == 0 || m.before == 0 {
		return nil
	}
	extra := max(0, peak-m.before)
	return &Memory{
		Peak: m.operands + extra, Current: m.operands + max(0, now-m.before), Cached: unknown, Extra: extra,
		Held: unknown, Source: "resident memory of the process",
	}
}

// status reads a line of /proc/self/status, in bytes.
func status(name string) int64 {
	text, err := files.Read("/proc/self/status", files.MaxSystem)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}
