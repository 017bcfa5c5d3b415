//go:build unix

// Saturate decodes or resamples one file again and again, as the peers do, and prints the CPU
// seconds of each time as JSON.
//
//	go run ./peers/audio/saturate -n 5 [-out samples.f32] decode FILE
//	go run ./peers/audio/saturate -n 5 [-out samples.f32] resample SAMPLES.f32 48000 16000
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"

	"golang.org/x/sys/unix"

	"saturate/internal/audio"
)

func main() {
	n := flag.Int("n", 5, "times")
	out := flag.String("out", "", "write the mono samples, float32, to this file")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	if err := measure(flag.Args(), *n, *out, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "saturate:", err)
		os.Exit(1)
	}
}

func measure(args []string, n int, out, profile string) error {
	work, err := task(args)
	if err != nil {
		return err
	}
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
	times := []float64{}
	var samples []float32
	for range n {
		before := cpuSeconds()
		if samples, err = work(); err != nil {
			return err
		}
		times = append(times, cpuSeconds()-before)
	}
	if out != "" {
		data, err := binary.Append(nil, binary.LittleEndian, samples)
		if err == nil {
			err = os.WriteFile(out, data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(times)
}

func task(args []string) (func() ([]float32, error), error) {
	switch {
	case len(args) == 2 && args[0] == "decode":
		return func() ([]float32, error) {
			clip, err := audio.DecodeFile(context.Background(), args[1], audio.Options{FFmpeg: "none"})
			return clip.Float32(nil), err
		}, nil
	case len(args) == 4 && args[0] == "resample":
		data, err := os.ReadFile(args[1])
		if err != nil {
			return nil, err
		}
		in := make([]float32, len(data)/4)
		if _, err := binary.Decode(data, binary.LittleEndian, in); err != nil {
			return nil, err
		}
		from, err1 := strconv.Atoi(args[2])
		to, err2 := strconv.Atoi(args[3])
		return func() ([]float32, error) { return audio.Resample(in, from, to) }, errors.Join(err1, err2)
	}
	return nil, errors.New("decode FILE, or resample SAMPLES FROM TO")
}

func cpuSeconds() float64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
