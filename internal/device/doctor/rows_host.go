package doctor

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
)

func (d Diagnosis) processorRows() []Row {
	p := d.Hardware.Processor
	model := p.Model
	if model == "" {
		model = "not told"
	}
	cpu := Row{Thing: "CPU", Value: joined(model, human.Plural(p.Cores, "core"), human.Plural(p.Threads, "thread"), human.Plural(p.NUMANodes, "NUMA node")), State: OK}
	allowed := Row{Thing: "threads allowed", Value: fmt.Sprintf("%.4g of %d", p.Allowed, p.Threads), State: OK}
	switch {
	case p.Threads == 0:
		cpu.Value, cpu.State = model, Unknown
		allowed.Value, allowed.State = "not told", Unknown
	case p.Allowed < float64(p.Threads):
		allowed.State = Limited
		allowed.Without = "loader workers and threads beyond that number: they only wait for each other"
		allowed.Get = "docker --cpus, Kubernetes resources.limits.cpu, Slurm --cpus-per-task, taskset"
	}
	memory := Row{Thing: "memory", Value: human.Memory(p.MemoryBytes), State: OK}
	switch {
	case p.UsableMemory() == 0:
		memory.Value, memory.State = "not told", Unknown
	case p.UsableMemory() < p.MemoryBytes:
		memory.Value = fmt.Sprintf("%s of %s, by the cgroup's limit", human.Memory(p.UsableMemory()), human.Memory(p.MemoryBytes))
	case p.MemoryAvailableBytes > 0:
		memory.Value += ", " + human.Memory(p.MemoryAvailableBytes) + " available"
	}
	return []Row{cpu, d.vectorRow(), allowed, memory}
}

func (d Diagnosis) vectorRow() Row {
	p := d.Hardware.Processor
	var names []string
	for _, unit := range []struct{ feature, name string }{
		{"avx2", "AVX2"},
		{"avx512f", "AVX-512"},
		{"avx512_bf16", "AVX-512 bf16"},
		{"amx_tile", "AMX"},
		{"asimd", "NEON"},
		{"bf16", "bf16"},
		{"sve", "SVE"},
		{"sve2", "SVE2"},
		{"sme", "SME"},
	} {
		if slices.Contains(p.Features, unit.feature) {
			names = append(names, unit.name)
		}
	}
	row := Row{Thing: "vector units", Value: strings.Join(names, ", "), State: OK}
	if len(p.Features) == 0 {
		row.Value, row.State = "not told", Unknown
	}
	arm := slices.Contains(p.Features, "asimd")
	if !p.AVX2 && !arm && len(p.Features) > 0 {
		row.State = Limited
		row.Without = "fast audio features on the CPU: they are computed by plain code"
		row.Get = "a processor with AVX2 (any server of the last ten years; in a virtual machine, pass the host's CPU model through)"
	}
	return row
}

// littleFree is less than a small data set and its features take.
const littleFree = 10 << 30

func (d Diagnosis) diskRows() []Row {
	free := Row{Thing: "free disk", Value: human.Bytes(d.Disk.FreeBytes) + " in " + d.Disk.Dir, State: OK}
	switch {
	case d.Disk.TotalBytes == 0:
		free.Value, free.State = d.Disk.Problem, Unknown
	case d.Disk.FreeBytes < littleFree:
		free.State = Limited
		free.Without = "data sets, traces and runs of more than that size"
		free.Get = "free some space, or work in a folder of another disk"
	}
	read := Row{Thing: "sequential read"}
	switch r := d.Disk.Read; {
	case r == nil && d.Quick:
		read.Value, read.State = "not measured (quick)", Unknown
	case r == nil:
		read.Value, read.State = d.Disk.Problem, Limited
		read.Without = "knowing whether the disk feeds the loader fast enough"
		read.Get = "work in a folder that can be written, with 1 GiB free"
	case !r.CacheBypassed:
		read.Value, read.State = fmt.Sprintf("%.1f GB/s from the page cache, not from the disk (%s in %s)", r.GBps(), human.Bytes(r.Bytes), r.Dir), Unknown
	default:
		read.Value, read.State = fmt.Sprintf("%.2g GB/s, page cache bypassed (%s in %s)", r.GBps(), human.Bytes(r.Bytes), r.Dir), OK
	}
	return []Row{free, read}
}
