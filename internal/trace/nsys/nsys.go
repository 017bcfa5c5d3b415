// Package nsys reads what Nsight Systems exports as SQLite (`nsys export --type sqlite`, or `nsys stats`, which leaves
// the file behind).
//
// Tables are made by the exporter only where there is something in them. Times are nanoseconds since the session began.
// Names stand in StringIds; a thread is one number, made of the process and the thread.
package nsys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"saturate/internal/files"
	"saturate/internal/sqlite"
	"saturate/internal/trace"
)

const format = "nsys"

// Importer reads SQLite exports of Nsight Systems.
var Importer = trace.Importer{Name: format, Endings: []string{".sqlite"}, Sniff: sniff, Read: read}

func sniff(head []byte) bool { return bytes.HasPrefix(head, []byte(sqlite.Magic)) }

// mostInMemory is the largest database that is read from a stream, such as a compressed file; from a file on disk any
// size is.
const mostInMemory = 1 << 30

func read(ctx context.Context, r io.Reader, opt trace.ReadOptions) (*trace.Trace, error) {
	file, size := opt.File, opt.Size
	if file == nil {
		text, err := files.ReadAll(r, mostInMemory)
		if err != nil {
			return nil, fmt.Errorf("a compressed SQLite database is read whole: %w; decompress it first", err)
		}
		file, size = bytes.NewReader(text), int64(len(text))
	}
	db, err := sqlite.Open(file, size)
	if err != nil {
		return nil, fmt.Errorf("cannot be read as an Nsight Systems export: %w", err)
	}
	x := &reader{
		db: db, b: trace.NewBuilder(), l: trace.NewLexicon(), strings: map[int64]string{},
		processes: map[int64]int64{},
	}
	x.batch = x.l.NewBatch()
	x.b.Meta.Format = format
	if db.Table("StringIds") == nil {
		return nil, errors.New("not an Nsight Systems export: this SQLite database has no table StringIds")
	}
	for _, part := range []func() error{x.names, x.session, x.gpus, x.kernels, x.copies, x.fills, x.calls, x.ranges, x.overhead} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := part(); err != nil {
			if x.events == 0 {
				return nil, err
			}
			x.b.Truncated(err.Error() + "; the part before it was read")
			break
		}
	}
	if x.events == 0 {
		return nil, errors.New("this Nsight Systems export has no CUDA work and no ranges; record with `nsys profile --trace=cuda,nvtx`")
	}
	x.flush()
	return x.b.Finish(), nil
}

type reader struct {
	db        *sqlite.DB
	b         *trace.Builder
	l         *trace.Lexicon
	batch     *trace.Batch
	strings   map[int64]string
	processes map[int64]int64 // their places, to tell correlations apart that are numbered by process
	events    int
}

// flush hands what was read on, so that a batch stays small.
func (x *reader) flush() {
	x.b.Append(x.batch.Seal())
	x.batch = x.l.NewBatch()
}

func (x *reader) add(start, end int64, name string, track trace.TrackKey, kind trace.Kind) {
	if x.batch.Len() >= 1<<16 {
		x.flush()
	}
	x.events++
	x.batch.Add(start, max(0, end-start), x.l.Name([]byte(name)), x.l.Track(track), kind)
}

// each gives the rows of a table, if it is there, with a function that finds columns by name.
func (x *reader) each(table string, columns []string, give func(at []int, row sqlite.Row) error) error {
	t := x.db.Table(table)
	if t == nil {
		return nil
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = t.Column(c)
	}
	err := t.Each(func(row sqlite.Row) error { return give(at, row) })
	if err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}

func (x *reader) names() error {
	return x.each("StringIds", []string{"id", "value"}, func(at []int, row sqlite.Row) error {
		x.strings[row.Int(at[0])] = row.Text(at[1])
		return nil
	})
}

func (x *reader) session() error {
	if err := x.each("TARGET_INFO_SESSION_START_TIME", []string{"utcEpochNs"}, func(at []int, row sqlite.Row) error {
		x.b.Meta.Base = row.Int(at[0])
		return nil
	}); err != nil {
		return err
	}
	return x.each("TARGET_INFO_SYSTEM_ENV", []string{"name", "value"}, func(at []int, row sqlite.Row) error {
		if row.Text(at[0]) == "Hostname" {
			x.b.Meta.Host = row.Text(at[1])
		}
		return nil
	})
}

func (x *reader) gpus() error {
	return x.each("TARGET_INFO_GPU", []string{"id", "name", "totalMemory", "smCount", "computeMajor", "computeMinor"}, func(at []int, row sqlite.Row) error {
		if len(x.b.Meta.GPUs) < 256 {
			x.b.Meta.GPUs = append(x.b.Meta.GPUs, trace.GPU{
				Device: trace.Device(row.Int(at[0])), Name: row.Text(at[1]), Memory: row.Int(at[2]), SMs: int(row.Int(at[3])),
				Major: int(row.Int(at[4])), Minor: int(row.Int(at[5])),
			})
		}
		return nil
	})
}

func stream(device, number int64) trace.TrackKey {
	return trace.TrackKey{Domain: trace.Stream, PID: device, TID: number}
}

// correlate joins a call with its work. Numbers are counted by process.
func (x *reader) correlate(global, number int64) {
	if number == 0 {
		return
	}
	process := global >> 24
	place, known := x.processes[process]
	if !known {
		place = int64(len(x.processes))
		x.processes[process] = place
	}
	x.batch.SetInt(trace.Correlation, place<<40|number&(1<<40-1))
}

func (x *reader) kernels() error {
	columns := []string{
		"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName", "shortName", "gridX",
		"gridY", "gridZ", "blockX", "blockY", "blockZ",
		"registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId",
	}
	return x.each("CUPTI_ACTIVITY_KIND_KERNEL", columns, func(at []int, row sqlite.Row) error {
		n := func(i int) int64 { return row.Int(at[i]) }
		name := x.strings[n(6)]
		if name == "" {
			name = x.strings[n(7)]
		}
		x.add(n(0), n(1), name, stream(n(2), n(3)), trace.Kernel)
		x.correlate(n(5), n(4))
		x.batch.SetConfig(x.l.Config(trace.Config{
			Grid: [3]int32{int32(n(8)), int32(n(9)), int32(n(10))}, Block: [3]int32{int32(n(11)), int32(n(12)), int32(n(13))},
			Registers: int32(n(14)), SharedMemory: int32(n(15) + n(16)),
		}))
		if node := n(17); node != 0 {
			x.batch.SetInt(trace.GraphNode, node)
		}
		return nil
	})
}

// copyKinds and memories are CUPTI's numbers.
var (
	copyKinds = map[int64]string{
		1: "HtoD", 2: "DtoH", 3: "HtoA", 4: "AtoH", 5: "AtoA", 6: "AtoD", 7: "DtoA",
		8: "DtoD", 9: "HtoH", 10: "PtoP",
	}
	memories = map[int64]string{0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device"}
)

func (x *reader) copies() error {
	columns := []string{
		"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes", "copyKind",
		"srcKind", "dstKind",
	}
	return x.each("CUPTI_ACTIVITY_KIND_MEMCPY", columns, func(at []int, row sqlite.Row) error {
		n := func(i int) int64 { return row.Int(at[i]) }
		name := "Memcpy " + copyKinds[n(7)]
		if from, to := memories[n(8)], memories[n(9)]; from != "" && to != "" && at[8] >= 0 {
			name += " (" + from + " -> " + to + ")"
		}
		x.add(n(0), n(1), name, stream(n(2), n(3)), trace.Memcpy)
		x.correlate(n(5), n(4))
		x.batch.SetInt(trace.Bytes, n(6))
		return nil
	})
}

func (x *reader) fills() error {
	columns := []string{"start", "end", "deviceId", "streamId", "correlationId", "globalPid", "bytes"}
	return x.each("CUPTI_ACTIVITY_KIND_MEMSET", columns, func(at []int, row sqlite.Row) error {
		n := func(i int) int64 { return row.Int(at[i]) }
		x.add(n(0), n(1), "Memset (Device)", stream(n(2), n(3)), trace.Memset)
		x.correlate(n(5), n(4))
		x.batch.SetInt(trace.Bytes, n(6))
		return nil
	})
}

// thread is the track of a thread, from the number that Nsight gives it.
func thread(global int64) trace.TrackKey {
	return trace.TrackKey{Domain: trace.HostThread, PID: global >> 24 & 0xffffff, TID: global & 0xffffff}
}

// calls are those of the CUDA runtime and driver, in one table.
func (x *reader) calls() error {
	return x.each("CUPTI_ACTIVITY_KIND_RUNTIME", []string{"start", "end", "globalTid", "correlationId", "nameId"}, func(at []int, row sqlite.Row) error {
		name := withoutVersion(x.strings[row.Int(at[4])])
		kind := trace.Driver
		if strings.HasPrefix(name, "cuda") {
			kind = trace.Runtime
		}
		global := row.Int(at[2])
		x.add(row.Int(at[0]), row.Int(at[1]), name, thread(global), kind)
		x.correlate(global, row.Int(at[3]))
		return nil
	})
}

// withoutVersion takes the version off a call's name: cudaLaunchKernel_v7000.
func withoutVersion(name string) string {
	at := strings.LastIndex(name, "_v")
	if at < 0 || strings.Trim(name[at+2:], "0123456789") != "" {
		return name
	}
	return name[:at]
}

// NVTX's kinds of events that have a beginning and an end.
const pushPop, startEnd = 59, 60

// ranges are marked by the program, or by torch.autograd.profiler.emit_nvtx, which marks operators so.
func (x *reader) ranges() error {
	return x.each("NVTX_EVENTS", []string{"start", "end", "eventType", "text", "textId", "globalTid"}, func(at []int, row sqlite.Row) error {
		if kind := row.Int(at[2]); kind != pushPop && kind != startEnd || row.Null(at[1]) {
			return nil
		}
		name := row.Text(at[3])
		if name == "" {
			name = x.strings[row.Int(at[4])]
		}
		name, kind := rangeKind(name)
		x.add(row.Int(at[0]), row.Int(at[1]), name, thread(row.Int(at[5])), kind)
		return nil
	})
}

// rangeKind tells torch's operators, which emit_nvtx marks as "aten::mm, op_id = 7, seq = 3", from ranges of the
// program.
func rangeKind(name string) (string, trace.Kind) {
	for _, prefix := range []string{"aten::", "autograd::engine::", "torch::", "c10d::", "nccl:"} {
		if strings.HasPrefix(name, prefix) {
			name, _, _ = strings.Cut(name, ", ")
			return name, trace.CPUOp
		}
	}
	return name, trace.Annotation
}

func (x *reader) overhead() error {
	return x.each("PROFILER_OVERHEAD", []string{"start", "end", "globalTid", "nameId"}, func(at []int, row sqlite.Row) error {
		name := x.strings[row.Int(at[3])]
		if name == "" {
			name = "profiler"
		}
		key := thread(row.Int(at[2]))
		key.TID = -1 // a row of its own, as Kineto writes it
		x.add(row.Int(at[0]), row.Int(at[1]), name, key, trace.Overhead)
		return nil
	})
}
