//go:build linux

// Saturate computes the features of one clip again and again, as the peers do, and prints the CPU
// time of each as JSON.
//
//	go run ./peers/mel/saturate -pcm clip.s16 -level avx512 [-mels 80] [-float] [-n 200] [-out features.f16]
package main

import (
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"

	"golang.org/x/sys/unix"

	"saturate/internal/mel"
)

func main() {
	pcm := flag.String("pcm", "", "file of int16 samples at 16 kHz")
	level := flag.String("level", string(mel.Levels()[0]), "instruction set")
	mels := flag.Int("mels", 80, "bands")
	float := flag.Bool("float", false, "give the samples as float32, as the peers take them")
	n := flag.Int("n", 200, "times")
	out := flag.String("out", "", "write the features, float32, to this file")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	levels := flag.Bool("levels", false, "print the instruction sets of this machine and exit")
	flag.Parse()
	if *levels {
		json.NewEncoder(os.Stdout).Encode(mel.Levels())
		return
	}
	if err := measure(*pcm, mel.Level(*level), *mels, *float, *n, *out, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "saturate:", err)
		os.Exit(1)
	}
}

func measure(path string, level mel.Level, mels int, float bool, n int, out, profile string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	samples := make([]int16, len(data)/2)
	if _, err := binary.Decode(data, binary.LittleEndian, samples); err != nil {
		return err
	}
	in := mel.Samples{PCM: samples}
	if float {
		in = mel.Samples{}
		for _, v := range samples {
			in.Float = append(in.Float, float32(v)/32768)
		}
	}
	x, err := mel.NewAt(mel.Whisper(mels), level)
	if err != nil {
		return err
	}
	half := make([]uint16, mels*x.Params().Frames(len(samples)))
	debug.SetGCPercent(-1)
	runtime.LockOSThread()
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	times := make([]float64, 0, n)
	for range n {
		start := cpuSeconds()
		if _, err := x.Half(half, in, len(samples)); err != nil {
			return err
		}
		times = append(times, 1000*(cpuSeconds()-start))
	}
	if out != "" {
		single := make([]float32, len(half))
		if _, err := x.Single(single, in, len(samples)); err != nil {
			return err
		}
		text, err := binary.Append(nil, binary.LittleEndian, single)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"ms": times})
}

// cpuSeconds is the time this thread has computed.
func cpuSeconds() float64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux always has this clock
	}
	return float64(t.Sec) + float64(t.Nsec)/1e9
}
