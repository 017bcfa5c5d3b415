//go:build linux

// Read reads traces and nothing else, and says what that took: the lower bound of every
// analysis.
//
//	go run ./peers/trace/read [-workers n] [-cpuprofile file] TRACE…
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
	"time"

	"saturate/internal/trace/open"
)

func main() {
	workers := flag.Int("workers", 0, "goroutines that parse (0: one a processor)")
	profile := flag.String("cpuprofile", "", "write a CPU profile to this file")
	flag.Parse()
	if err := measure(flag.Args(), *workers, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "read:", err)
		os.Exit(1)
	}
}

func measure(paths []string, workers int, profile string) error {
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
	start := time.Now()
	traces, err := open.Read(context.Background(), paths, open.Options{Workers: workers})
	if err != nil {
		return err
	}
	wall := time.Since(start)
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	for _, t := range traces {
		fmt.Printf("%s: %d events, %.1f bytes an event, %+v\n", t.Meta().Path, t.Len(), float64(t.Bytes())/float64(max(1, t.Len())), t.Quality())
	}
	cpu := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	fmt.Printf("wall %.3f s, CPU %.3f s, peak memory %.1f MB\n", wall.Seconds(), cpu.Seconds(), float64(used.Maxrss)/1024)
	runtime.KeepAlive(traces)
	return nil
}
