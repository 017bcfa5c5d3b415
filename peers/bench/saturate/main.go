//go:build linux

// Saturate times the kernels of internal/bench/kernel, as peers.py times the others: a job in JSON
// on a line of standard input is answered by a line with the seconds of every sample.
//
//	echo '{"op":"product","rows":512,"cols":512,"depth":512,"seconds":0.5,"samples":40}' |
//		go run ./peers/bench/saturate -level avx2 -threads 1
//
// With "peak" a job is done once and answered by the memory it took.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"saturate/internal/bench/kernel"
)

// job is one thing to time; it has the same fields in bench.py.
type job struct {
	Op         string  `json:"op"` // product, softmax, attention, tiled, copy, triad
	Rows       int     `json:"rows"`
	Cols       int     `json:"cols"`
	Depth      int     `json:"depth"`
	Transposed bool    `json:"transposed"`
	Batch      int     `json:"batch"`
	Heads      int     `json:"heads"`
	Queries    int     `json:"queries"`
	Keys       int     `json:"keys"`
	Width      int     `json:"width"`
	Causal     bool    `json:"causal"`
	Values     int     `json:"values"`
	Seconds    float64 `json:"seconds"`
	Samples    int     `json:"samples"`
	Out        string  `json:"out"` // file for the result
	Peak       bool    `json:"peak"`
}

// times are the seconds of a call, wall and CPU of the whole process.
type times struct {
	Wall    []float64 `json:"wall"`
	CPU     []float64 `json:"cpu"`
	Version string    `json:"version"`
}

// memory is bytes: what a call took beside its operands, what was said beforehand, and the most that
// the process ever held.
type memory struct {
	Asked int64 `json:"asked"`
	Said  int64 `json:"said"`
	Peak  int64 `json:"peak"`
}

func main() {
	level := flag.String("level", "", "instruction set; the fastest unless given")
	threads := flag.Int("threads", 1, "threads")
	operands := flag.String("operands", "", "file of float32 that operands are taken from; random ones unless given")
	levels := flag.Bool("levels", false, "print the instruction sets of this machine and exit")
	flag.Parse()
	if *levels {
		json.NewEncoder(os.Stdout).Encode(kernel.Levels())
		return
	}
	if err := serve(*threads, kernel.Level(*level), *operands); err != nil {
		fmt.Fprintln(os.Stderr, "saturate:", err)
		os.Exit(1)
	}
}

func serve(threads int, level kernel.Level, operands string) error {
	debug.SetGCPercent(-1)
	pool, err := kernel.NewPool(threads, level)
	if err != nil {
		return err
	}
	defer pool.Close()
	var from []float32
	if operands != "" {
		data, err := os.ReadFile(operands)
		if err != nil {
			return err
		}
		from = make([]float32, len(data)/4)
		if _, err := binary.Decode(data, binary.LittleEndian, from); err != nil {
			return err
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var j job
		if err := json.Unmarshal(lines.Bytes(), &j); err != nil {
			return err
		}
		answer, err := j.do(pool, from)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			return err
		}
		debug.FreeOSMemory()
	}
	return lines.Err()
}

func (j job) do(pool *kernel.Pool, operands []float32) (answer any, err error) {
	t, err := j.prepare(pool, operands)
	if err != nil {
		return nil, err
	}
	if j.Peak {
		err := t.call()
		return memory{Asked: pool.Held() + 4*int64(t.table), Said: t.said, Peak: peak()}, err
	}
	if j.Out != "" {
		if err := t.call(); err != nil {
			return nil, err
		}
		data, err := binary.Append(nil, binary.LittleEndian, t.result)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(j.Out, data, 0o644); err != nil {
			return nil, err
		}
	}
	return measure(t.call, j.Seconds, j.Samples)
}

// task is a job with its operands made.
type task struct {
	call   func() error
	result []float32
	table  int   // values of the table of scores
	said   int64 // bytes beside the operands, as predicted
}

func (j job) prepare(pool *kernel.Pool, operands []float32) (task, error) {
	at := 0
	take := func(n int) []float32 {
		x := kernel.Values(n)
		if operands == nil {
			r := rand.New(rand.NewPCG(uint64(at), 7))
			for i := range x {
				x[i] = r.Float32()*2 - 1
			}
		}
		for done := 0; operands != nil && done < n; {
			done += copy(x[done:], operands[(at+done)%len(operands):])
		}
		at += n
		return x
	}
	switch j.Op {
	case "product":
		c, a, b := kernel.Values(j.Rows*j.Cols), kernel.Matrix(take(j.Rows*j.Depth), j.Rows, j.Depth), take(j.Depth*j.Cols)
		to := kernel.Matrix(c, j.Rows, j.Cols)
		if j.Transposed {
			return task{call: func() error { return pool.MultiplyTransposed(to, a, kernel.Matrix(b, j.Cols, j.Depth)) }, result: c}, nil
		}
		return task{call: func() error { return pool.Multiply(to, a, kernel.Matrix(b, j.Depth, j.Cols)) }, result: c}, nil
	case "softmax":
		x := take(j.Rows * j.Cols)
		return task{call: func() error { return pool.Softmax(kernel.Matrix(x, j.Rows, j.Cols), kernel.Mask{}, 1) }, result: x}, nil
	case "attention", "tiled":
		step := j.Heads * j.Width
		heads := func(data []float32, rows int) kernel.Stack {
			return kernel.Split(data, j.Batch, j.Heads, rows, j.Width, step)
		}
		q, k, v := heads(take(j.Batch*j.Queries*step), j.Queries), heads(take(j.Batch*j.Keys*step), j.Keys), heads(take(j.Batch*j.Keys*step), j.Keys)
		out := heads(kernel.Values(j.Batch*j.Queries*step), j.Queries)
		mask, scale := kernel.Mask{Causal: j.Causal}, float32(1/math.Sqrt(float64(j.Width)))
		shape := kernel.Shape{Batch: j.Batch, Heads: j.Heads, Queries: j.Queries, Keys: j.Keys, Width: j.Width}
		if j.Op == "tiled" {
			return task{
				call:   func() error { return pool.TiledAttention(out, q, k, v, mask, scale) },
				result: out.Data, said: pool.TiledBytes(shape),
			}, nil
		}
		scores := kernel.Dense(kernel.Values(j.Batch*j.Heads*j.Queries*j.Keys), j.Batch, j.Heads, j.Queries, j.Keys)
		return task{
			call:   func() error { return pool.Attention(out, q, k, v, scores, mask, scale) },
			result: out.Data, table: len(scores.Data), said: pool.PlainBytes(shape),
		}, nil
	case "copy":
		to, from := kernel.Values(j.Values), take(j.Values)
		return task{call: func() error { return pool.Copy(to, from) }, result: to}, nil
	case "triad":
		to, a, b := kernel.Values(j.Values), take(j.Values), take(j.Values)
		return task{call: func() error { return pool.Triad(to, a, b, 3) }, result: to}, nil
	}
	return task{}, fmt.Errorf("no operation %q", j.Op)
}

// measure takes samples of at least a millisecond each.
func measure(call func() error, seconds float64, samples int) (times, error) {
	start := time.Now()
	if err := call(); err != nil {
		return times{}, err
	}
	calls := max(1, int(math.Ceil(1e-3/max(time.Since(start).Seconds(), 1e-9))))
	for range calls {
		if err := call(); err != nil {
			return times{}, err
		}
	}
	t := times{Version: "this tree"}
	stop := time.Now().Add(time.Duration(seconds * 1e9))
	for len(t.Wall) < 3 || (len(t.Wall) < samples && time.Now().Before(stop)) {
		startCPU, start := cpuSeconds(), time.Now()
		for range calls {
			if err := call(); err != nil {
				return times{}, err
			}
		}
		t.Wall = append(t.Wall, time.Since(start).Seconds()/float64(calls))
		t.CPU = append(t.CPU, (cpuSeconds()-startCPU)/float64(calls))
	}
	return t, nil
}

// cpuSeconds is the time all threads have computed.
func cpuSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux always has this clock
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}

// peak is the most memory the process has held, in bytes.
func peak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}
