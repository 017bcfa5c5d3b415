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
		model = "unknown"
	}
	cpu := Row{Thing: "CPU", Value: joined(model, human.Plural(p.Cores, "core"), human.Plural(p.Threads, "thread"),
		human.Plural(p.NUMANodes, "NUMA node")), State: OK}
	allowed := Row{Thing: "threads allowed", Value: fmt.Sprintf("%.4g of %d", p.Allowed, p.Threads), State: OK}
	switch {
	case p.Threads == 0:
		cpu.Value, cpu.State = model, Unknown
		allowed.Value, allowed.State = "unknown", Unknown
	case p.Allowed < float64(p.Threads):
		allowed.State = Limited
		allowed.Without = "more loader workers and threads than that: they wait for each other"
		allowed.Get = "docker --cpus, Kubernetes resources.limits.cpu, Slurm --cpus-per-task, taskset"
	}
	memory := Row{Thing: "memory", Value: human.Memory(p.MemoryBytes), State: OK}
	switch {
	case p.UsableMemory() == 0:
		memory.Value, memory.State = "unknown", Unknown
	case p.UsableMemory() < p.MemoryBytes:
		memory.Value = fmt.Sprintf("%s of %s (cgroup limit)", human.Memory(p.UsableMemory()), human.Memory(p.MemoryBytes))
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
		row.Value, row.State = "unknown", Unknown
	}
	arm := slices.Contains(p.Features, "asimd")
	if !p.AVX2 && !arm && len(p.Features) > 0 {
		row.State = Limited
		row.Without = "fast audio features on the CPU: saturate falls back to scalar code"
		row.Get = "a CPU with AVX2 (most since 2013; in a virtual machine, pass the host's CPU model through)"
	}
	return row
}

// littleFree is less than a small dataset and its features take.
const littleFree = 10 << 30

func (d Diagnosis) diskRows() []Row {
	free := Row{Thing: "free disk", Value: human.Bytes(d.Disk.FreeBytes) + " in " + d.Disk.Dir, State: OK}
	switch {
	case d.Disk.TotalBytes == 0:
		free.Value, free.State = d.Disk.Problem, Unknown
	case d.Disk.FreeBytes < littleFree:
		free.State = Limited
		free.Without = "datasets, traces and runs larger than that"
		free.Get = "free some space, or work on another disk"
	}
	read := Row{Thing: "sequential read"}
	switch r := d.Disk.Read; {
	case r == nil && d.Quick:
		read.Value, read.State = "skipped (--quick)", Unknown
	case r == nil:
		read.Value, read.State = d.Disk.Problem, Limited
		read.Without = "knowing whether the disk is fast enough for the loader"
		read.Get = "work in a writable folder with 1 GB free"
	case !r.CacheBypassed:
		read.Value, read.State = fmt.Sprintf("%s from the page cache, not the disk (%s in %s)",
			human.Value(1e9*r.GBps(), "B/s"), human.Bytes(r.Bytes), r.Dir), Unknown
	default:
		read.Value, read.State = fmt.Sprintf("%s without page cache (%s in %s)", human.Value(1e9*r.GBps(), "B/s"),
			human.Bytes(r.Bytes), r.Dir), OK
	}
	return []Row{free, read}
}
