package pysrc

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// corpus is the standard library of the interpreter in SATURATE_TEST_PYTHON,
// tests and site-packages included, up to 40 MB.
func corpus(b *testing.B) (files [][]byte, size int64) {
	exe := os.Getenv("SATURATE_TEST_PYTHON")
	if exe == "" {
		b.Skip("SATURATE_TEST_PYTHON names no interpreter")
	}
	for _, path := range sources(b, exe) {
		src, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		files = append(files, src)
		size += int64(len(src))
		if size > 40e6 {
			break
		}
	}
	return files, size
}

// cpuTime is what this process has used so far; on a busy machine it says more
// than the clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// measure runs f over the corpus and reports its speed by processor time.
func measure(b *testing.B, size int64, f func()) {
	b.SetBytes(size)
	b.ReportAllocs()
	before := cpuTime()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(size)*float64(b.N)/1e6/(cpuTime()-before).Seconds(), "cpu-MB/s")
}

func BenchmarkParse(b *testing.B) {
	files, size := corpus(b)
	measure(b, size, func() {
		for _, src := range files {
			Parse("", src)
		}
	})
}

func BenchmarkLex(b *testing.B) {
	files, size := corpus(b)
	measure(b, size, func() {
		for _, src := range files {
			l := new(lexer)
			l.start(decode(src))
			for l.toks == nil || l.toks[len(l.toks)-1].Kind != tokEOF {
				l.line()
			}
		}
	})
}

func BenchmarkInspect(b *testing.B) {
	files, size := corpus(b)
	var modules []*Module
	for _, src := range files {
		modules = append(modules, Parse("", src).Module)
	}
	measure(b, size, func() {
		for _, m := range modules {
			Inspect(m, func(Node) bool { return true })
		}
	})
}
