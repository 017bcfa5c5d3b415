package device

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"
)

// Processor is the host's CPU and memory, and how much of them this process may use.
type Processor struct {
	Model     string   `json:"model"`      // name of the CPU
	Cores     int      `json:"cores"`      // physical
	Threads   int      `json:"threads"`    // logical
	Allowed   float64  `json:"allowed"`    // threads this process may keep busy: affinity and cgroup
	Quota     float64  `json:"quota"`      // of the cgroup, in threads; 0 is none
	NUMANodes int      `json:"numa_nodes"` // 1 when not told
	Features  []string `json:"features"`   // those that matter for arithmetic
	AVX2      bool     `json:"avx2"`       // the CPU has AVX2
	AVX512    bool     `json:"avx512"`     // the CPU has AVX-512
	AMX       bool     `json:"amx"`        // the CPU has AMX

	MemoryBytes          uint64 `json:"memory_bytes"`           // memory of the machine
	MemoryAvailableBytes uint64 `json:"memory_available_bytes"` // of it, available
	MemoryLimitBytes     uint64 `json:"memory_limit_bytes"`     // of the cgroup; 0 is none
}

// UsableMemory is what this process may fill at most.
func (p Processor) UsableMemory() uint64 {
	if p.MemoryLimitBytes > 0 && (p.MemoryBytes == 0 || p.MemoryLimitBytes < p.MemoryBytes) {
		return p.MemoryLimitBytes
	}
	return p.MemoryBytes
}

// arithmetic are the features worth naming: x86 as Linux spells them, then ARM.
var arithmetic = []string{
	"avx2", "fma", "f16c", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_int8", "amx_bf16", "amx_fp16",
	"asimd", "asimdhp", "asimddp", "bf16", "i8mm", "sve", "sve2", "sme",
}

// FindProcessor asks about the CPU and the memory alone.
func FindProcessor(ctx context.Context, sys System) Processor {
	var p Processor
	switch sys.OS() {
	case "linux":
		p = linuxProcessor(sys)
	case "darwin":
		p = appleProcessor(ctx, sys)
	default:
		p = thisProcessor()
	}
	has := func(name string) bool { return slices.Contains(p.Features, name) }
	p.AVX2, p.AVX512, p.AMX = has("avx2"), has("avx512f"), has("amx_tile")
	if p.Allowed == 0 {
		p.Allowed = float64(p.Threads)
	}
	if p.Quota > 0 && p.Quota < p.Allowed {
		p.Allowed = p.Quota
	}
	p.NUMANodes = max(p.NUMANodes, 1)
	if p.Features == nil {
		p.Features = []string{}
	}
	return p
}

func linuxProcessor(sys System) Processor {
	text, _ := sys.ReadFile("/proc/cpuinfo")
	p := parseCPUInfo(text)
	if status, err := sys.ReadFile("/proc/self/status"); err == nil {
		p.Allowed = float64(listLength(field(status, "Cpus_allowed_list")))
	}
	p.NUMANodes = listLength(readLine(sys, "/sys/devices/system/node/online"))
	if info, err := sys.ReadFile("/proc/meminfo"); err == nil {
		p.MemoryBytes = kilobytes(field(info, "MemTotal"))
		p.MemoryAvailableBytes = kilobytes(field(info, "MemAvailable"))
	}
	p.Quota, p.MemoryLimitBytes = cgroupLimits(sys)
	return p
}

// parseCPUInfo reads /proc/cpuinfo: a paragraph for each thread, "name : value" a line.
func parseCPUInfo(text []byte) Processor {
	var (
		p             Processor
		flags         map[string]bool
		socket, part  string
		physicalCores = map[[2]string]bool{}
	)
	for _, line := range lines(text) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "processor":
			if _, err := strconv.Atoi(value); err == nil {
				p.Threads++
			}
		case "model name":
			p.Model = value
		case "CPU part":
			part = value
		case "physical id":
			socket = value
		case "core id":
			physicalCores[[2]string{socket, value}] = true
		case "flags", "Features":
			if flags == nil { // the same for all threads
				flags = map[string]bool{}
				for _, flag := range strings.Fields(value) {
					flags[flag] = true
				}
			}
		}
	}
	if p.Model == "" {
		p.Model = armParts[part]
	}
	if p.Cores = len(physicalCores); p.Cores == 0 {
		p.Cores = p.Threads // ARM and some virtual machines do not tell
	}
	for _, name := range arithmetic {
		if flags[name] {
			p.Features = append(p.Features, name)
		}
	}
	return p
}

// armParts names server cores by ARM's part number, with the cloud machine they are known from.
var armParts = map[string]string{
	"0xd0c": "ARM Neoverse N1 (Graviton2, Altra)",
	"0xd40": "ARM Neoverse V1 (Graviton3)",
	"0xd49": "ARM Neoverse N2",
	"0xd4f": "ARM Neoverse V2 (Graviton4, Grace)",
}

func appleProcessor(ctx context.Context, sys System) Processor {
	value := func(name string) int {
		n, _ := strconv.Atoi(sysctl(ctx, sys, name))
		return n
	}
	p := Processor{
		Model:   sysctl(ctx, sys, "machdep.cpu.brand_string"),
		Cores:   value("hw.physicalcpu"),
		Threads: value("hw.logicalcpu"),
	}
	p.MemoryBytes = uint64(max(value("hw.memsize"), 0))
	for _, feature := range []struct{ sysctl, name string }{
		{"hw.optional.avx2_0", "avx2"},
		{"hw.optional.avx512f", "avx512f"},
		{"hw.optional.neon", "asimd"},
		{"hw.optional.arm.FEAT_BF16", "bf16"},
		{"hw.optional.arm.FEAT_I8MM", "i8mm"},
		{"hw.optional.arm.FEAT_SME", "sme"},
	} {
		if value(feature.sysctl) == 1 {
			p.Features = append(p.Features, feature.name)
		}
	}
	return p
}

// thisProcessor serves systems that have no file to read, from what Go knows of the machine it runs on.
func thisProcessor() Processor {
	p := Processor{Cores: runtime.NumCPU(), Threads: runtime.NumCPU()}
	for _, feature := range []struct {
		has  bool
		name string
	}{
		{cpu.X86.HasAVX2, "avx2"},
		{cpu.X86.HasFMA, "fma"},
		{cpu.X86.HasAVX512F, "avx512f"},
		{cpu.X86.HasAVX512BW, "avx512bw"},
		{cpu.X86.HasAVX512BF16, "avx512_bf16"},
		{cpu.X86.HasAMXTile, "amx_tile"},
		{cpu.X86.HasAMXInt8, "amx_int8"},
		{cpu.X86.HasAMXBF16, "amx_bf16"},
		{cpu.ARM64.HasASIMD, "asimd"},
		{cpu.ARM64.HasSVE, "sve"},
	} {
		if feature.has {
			p.Features = append(p.Features, feature.name)
		}
	}
	return p
}

// field is the value in a file of "Name: value" lines.
func field(text []byte, name string) string {
	for _, line := range lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && key == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// kilobytes reads "24682740 kB".
func kilobytes(text string) uint64 {
	n, err := strconv.ParseUint(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 54)
	if err != nil {
		return 0
	}
	return n << 10
}

// listLength counts the numbers of a kernel list such as 0-3,8,10-11.
func listLength(list string) int {
	var n int
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		first, err := strconv.ParseUint(low, 10, 20)
		if err != nil {
			continue
		}
		last := first
		if isRange {
			if last, err = strconv.ParseUint(high, 10, 20); err != nil || last < first {
				continue
			}
		}
		n += int(last - first + 1)
	}
	return n
}
