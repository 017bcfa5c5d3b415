package melcuda

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/mel"
)

// hostKernel compiles the kernels for the processor.
func hostKernel(t *testing.T) string {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no C++ compiler (g++) to compile the kernel for the processor")
	}
	probe := exec.Command(compiler, "-x", "c++", "-fsyntax-only", "-")
	probe.Stdin = strings.NewReader("#include <ucontext.h>\n_Float16 half;")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("this C++ compiler has no _Float16 or no fibers: %v\n%s", err, out)
	}
	const source = "testdata/host.cpp"
	for _, file := range []string{source, "logmel.cu"} { // so that the test's result is not kept when they change
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "logmel")
	if out, err := exec.Command(compiler, "-O2", "-std=c++17", "-w", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("the kernel does not compile for the processor: %v\n%s", err, out)
	}
	return program
}

// runHost computes clips with the kernel's own source, laid out as for the GPU.
func runHost(t *testing.T, program string, p mel.Params, clips []Clip) {
	t.Helper()
	tab := newTables(p)
	b := newBatch(p, tab)
	var samples []byte
	for i := range clips {
		c := &clips[i]
		at := b.add(c.Samples, c.Length)
		samples = append(samples, make([]byte, b.sampleBytes-at)...)
		if s := cut(c.Samples, c.Length); s.Float != nil {
			copyClean(samples[at:], s.Float)
		} else {
			copy(samples[at:], asBytes(s.PCM))
		}
	}
	lists := b.write(make([]byte, b.size()))
	magnitudes := 0
	if p.Power == 1 {
		magnitudes = 1
	}
	var in bytes.Buffer
	for _, n := range []int{p.Mels, magnitudes, len(b.clips), len(b.blocks), len(b.chunks), len(tab.taps) / 8, b.sampleBytes, b.values} {
		in.Write(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	}
	for _, f := range []float32{tab.factor, tab.offset, tab.below} {
		in.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(f)))
	}
	for _, part := range [][]byte{tab.window, tab.twiddle, tab.taps, tab.firstTap, samples, lists} {
		in.Write(part)
	}
	command := exec.Command(program)
	command.Stdin = &in
	out, err := command.Output()
	if err != nil || len(out) != 2*b.values {
		t.Fatalf("the kernel on the processor: %v, %d bytes of %d", err, len(out), 2*b.values)
	}
	for i, d := range b.clips {
		copy(asBytes(clips[i].Dst), out[2*d.out:])
	}
}

// TestKernelSource runs the kernels' source without a GPU: ragged lengths, padding, reflection,
// both kinds of samples, both scalings, and numbers of bands that do and do not suit the layout.
func TestKernelSource(t *testing.T) {
	program := hostKernel(t)
	for _, p := range testParams() {
		agree(t, p, func(t *testing.T, p mel.Params, clips []Clip) { runHost(t, program, p, clips) })
	}
}

func testParams() []mel.Params {
	decibels := mel.Whisper(80)
	decibels.Scaling = mel.DB
	odd := mel.Params{SampleRate: 16000, NFFT: 400, Hop: 160, Mels: 61, FMin: 50, FMax: 7000, Power: 1, Window: mel.Hamming, Scaling: mel.DB, DBMult: 20}
	return []mel.Params{mel.Whisper(80), mel.Whisper(128), decibels, odd}
}
