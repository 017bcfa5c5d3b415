// Package xla knows how XLA's profiler names things. Its two formats, Chrome JSON and
// xplane.pb, carry no categories: what an event is follows from the names of its
// process, its thread and itself.
package xla

import (
	"strconv"
	"strings"

	"saturate/internal/trace"
)

// Place moves the rows of a GPU from the process and thread they are written under to
// the GPU's streams. Rows that XLA derives from them (modules, steps, name scopes) go
// beside the streams, for they would count the same work twice.
func Place(process, thread string, key trace.TrackKey) trace.TrackKey {
	device, ok := Device(process)
	if !ok {
		return key
	}
	placed := trace.TrackKey{Domain: trace.StreamNotes, PID: int64(device), TID: key.TID}
	if stream, ok := Stream(thread); ok {
		placed.Domain, placed.TID = trace.Stream, stream
	}
	return placed
}

// Device is the number of the GPU that a process stands for: "/device:GPU:0".
func Device(process string) (trace.Device, bool) {
	_, number, ok := strings.Cut(process, "/device:GPU:")
	if !ok {
		return 0, false
	}
	number, _, _ = strings.Cut(number, " ")
	n, err := strconv.ParseInt(number, 10, 32)
	return trace.Device(n), err == nil
}

// Process reports whether a process is named as XLA's profiler names them: "/host:CPU",
// "/device:TPU:0". No other profiler does.
func Process(name string) bool {
	return strings.HasPrefix(name, "/host:") || strings.HasPrefix(name, "/device:")
}

// Stream is the number of the stream that a thread stands for: "Stream #14(Memset,Compute)".
func Stream(thread string) (int64, bool) {
	rest, ok := strings.CutPrefix(thread, "Stream #")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, "(")
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	return n, err == nil
}

// Kind says what an event is.
func Kind(e trace.Unclassified) trace.Kind {
	switch {
	case e.Domain == trace.StreamNotes:
		return trace.GPUAnnotation
	case e.Domain == trace.Stream && hasPrefixFold(e.Name, "memcpy"):
		return trace.Memcpy
	case e.Domain == trace.Stream && hasPrefixFold(e.Name, "memset"):
		return trace.Memset
	case e.Domain == trace.Stream:
		return trace.Kernel
	case e.Step:
		return trace.Annotation
	case strings.HasPrefix(e.Name, "$"): // "$train.py:23 data"
		return trace.Python
	case e.Correlated, call(e.Name):
		return trace.Driver
	}
	return trace.CPUOp
}

// call reports whether the name is that of a call into CUDA or HIP: cuGraphLaunch, cudaMalloc.
func call(name string) bool {
	for _, prefix := range []string{"cuda", "cu", "hip"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest != "" && rest[0] >= 'A' && rest[0] <= 'Z'
		}
	}
	return false
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// Details reads what XLA writes about a copy, a fill or a kernel as words "key:value".
func Details(text string) (d Detail) {
	var source, target string
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, ":")
		switch key {
		case "kind_src":
			source = value
		case "kind_dst":
			target = value
		case "size", "num_bytes":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				d.Bytes, d.HasBytes = n, true
			}
		case "regs":
			d.Config.Registers, d.HasConfig = number(value), true
		case "static_shared", "dynamic_shared":
			d.Config.SharedMemory += number(value)
			d.HasConfig = true
		case "grid":
			d.Config.Grid, d.HasConfig = triple(value), true
		case "block":
			d.Config.Block, d.HasConfig = triple(value), true
		case "occ_pct":
			f, _ := strconv.ParseFloat(value, 32)
			d.Config.Occupancy, d.HasConfig = float32(f), true
		}
	}
	if source != "" || target != "" {
		d.Copy = source + " -> " + target
	}
	return d
}

// Detail is what [Details] found.
type Detail struct {
	Copy      string // memory on both ends: "device -> pinned"
	Bytes     int64
	HasBytes  bool
	Config    trace.Config
	HasConfig bool
}

// Set adds it to the event that a batch holds last.
func (d Detail) Set(batch *trace.Batch, lexicon *trace.Lexicon) {
	if d.HasBytes {
		batch.SetInt(trace.Bytes, d.Bytes)
	}
	if d.Copy != "" {
		batch.SetText(trace.CopyKind, lexicon.Name([]byte(d.Copy)))
	}
	if d.HasConfig {
		batch.SetConfig(lexicon.Config(d.Config))
	}
}

func number(s string) int32 {
	n, _ := strconv.ParseInt(s, 10, 32)
	return int32(n)
}

func triple(s string) (t [3]int32) {
	i := 0
	for part := range strings.SplitSeq(s, ",") {
		if i < 3 {
			t[i] = number(part)
		}
		i++
	}
	return t
}
