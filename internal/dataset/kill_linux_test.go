package dataset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be a build that can be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "build-to-be-killed" {
		if err := buildOnce(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == "work-to-be-killed" {
		if err := workOnce(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "mel" && os.Args[2] == "fetch" {
		if err := fetchOnce(os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// buildOnce takes a folder, an output, a format, a layout, a number of workers, and how rows are written.
func buildOnce(args []string) error {
	o := Defaults()
	o.Dir, o.Output, o.To, o.Length = args[0], args[1], args[2], 2*time.Second
	for _, l := range layouts {
		if l.name == args[3] {
			l.set(&o)
		}
	}
	o.Workers, _ = strconv.Atoi(args[4])
	o.Map = args[5]
	l, err := Find(context.Background(), []string{"."}, FindOptions{Dir: o.Dir})
	if err != nil {
		return err
	}
	_, err = Build(context.Background(), l, o)
	return err
}

// A build that is killed at random moments, 200 times with SATURATE_ACCEPT, ends with the bytes of one that was not.
func TestKilledAtRandom(t *testing.T) {
	files, kills, cases := 200, 4, [][2]string{{"hdf5", "ragged"}, {"parquet", "segments"}}
	for _, to := range FormatNames() {
		cases = append(cases, [2]string{to, "fixed"})
	}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		files, kills, cases = 5000, 200, [][2]string{{"hdf5", "fixed"}}
	}
	dir := corpus(t, files)
	for _, c := range cases {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			folder, random := t.TempDir(), rand.New(rand.NewPCG(20, 26))
			run := func(out string, workers int, life time.Duration) (finished bool) {
				t.Helper()
				write := MapAuto
				if c == [2]string{"hdf5", "fixed"} { // each run as it likes, whatever the one before it did
					write = []string{MapYes, MapNo}[random.IntN(2)]
				}
				cmd := exec.Command(os.Args[0], "build-to-be-killed", dir, out, c[0], c[1], fmt.Sprint(workers), write)
				var stderr strings.Builder
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if life > 0 {
					timer := time.AfterFunc(life, func() { cmd.Process.Signal(syscall.SIGKILL) })
					defer timer.Stop()
				}
				err := cmd.Wait()
				if err != nil && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
					t.Fatalf("%v %s", err, stderr.String())
				}
				return err == nil
			}
			whole := filepath.Join(folder, "whole")
			start := time.Now()
			run(whole, 1, 0)
			took := time.Since(start)
			want := fingerprint(t, whole)
			killed, outputs := 0, 0
			for killed < kills || outputs == 0 {
				out := filepath.Join(folder, fmt.Sprint("killed", outputs))
				for {
					life := time.Duration(float64(took) * (0.03 + 0.3*random.Float64()))
					if killed >= kills {
						life = 0
					}
					if run(out, 1+random.IntN(4), life) {
						break
					}
					killed++
					if _, err := os.Stat(out); err == nil {
						continue // killed after the last step
					}
				}
				outputs++
				if got := fingerprint(t, out); got != want {
					t.Fatalf("other bytes after %d kills", killed)
				}
				if left, _ := filepath.Glob(out + ".*"); len(left) != 1 {
					t.Errorf("left lying: %v", left)
				}
				os.RemoveAll(out)
			}
			t.Logf("%d files, undisturbed in %.1f s; %d kills, %d outputs, each byte for byte the undisturbed one", files, took.Seconds(), killed, outputs)
		})
	}
}
