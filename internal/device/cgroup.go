package device

import (
	"path"
	"strconv"
	"strings"
)

// cgroupLimits gives the CPU quota in threads and the memory limit in bytes that a container or
// a batch system set; zero means no limit. A limit may sit at any level above the process's own
// group, and in a container the path of /proc/self/cgroup may not exist below the mount:
// so every level that exists is read and the smallest limit counts.
func cgroupLimits(sys System) (threads float64, memory uint64) {
	text, err := sys.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, 0
	}
	for _, line := range lines(text) { // 4:memory:/docker/7b1f  or, for version 2,  0::/user.slice
		parts := strings.SplitN(line, ":", 3)
		if len(parts) != 3 {
			continue
		}
		controllers, group := parts[1], path.Clean("/"+parts[2])
		if controllers == "" {
			for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
				for level := range levels(root, group) {
					threads = smaller(threads, quota2(readLine(sys, level+"/cpu.max")))
					memory = smaller(memory, limitBytes(readLine(sys, level+"/memory.max")))
				}
			}
			continue
		}
		for _, controller := range append(strings.Split(controllers, ","), controllers) {
			for level := range levels("/sys/fs/cgroup/"+controller, group) {
				threads = smaller(threads, quota1(readLine(sys, level+"/cpu.cfs_quota_us"),
					readLine(sys, level+"/cpu.cfs_period_us")))
				memory = smaller(memory, limitBytes(readLine(sys, level+"/memory.limit_in_bytes")))
			}
		}
	}
	return threads, memory
}

// levels yields the group's folder and those above it, up to the root of the mount.
func levels(root, group string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for group != "/" {
			if !yield(root + group) {
				return
			}
			group = path.Dir(group)
		}
		yield(root)
	}
}

// quota2 reads version 2's "200000 100000" and "max 100000".
func quota2(text string) float64 {
	quota, period, _ := strings.Cut(text, " ")
	return quota1(quota, period)
}

func quota1(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || !(q > 0) || !(p > 0) || q/p > 1e6 {
		return 0 // max, -1, or absent
	}
	return q / p
}

func limitBytes(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n >= 1<<60 { // version 1 writes no limit as the largest page-aligned number
		return 0
	}
	return n
}

// smaller is the smaller of two limits; zero means none.
func smaller[T float64 | uint64](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
