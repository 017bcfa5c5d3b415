//go:build linux

package tts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A run that is killed at random goes on each time where it was: every file is whole, none is missing, none
// that had appeared is made again, and the folder is the one an undisturbed run gives.
func TestKilledAtRandom(t *testing.T) {
	engine, count, kills := "formant", 150, 5
	if os.Getenv("SATURATE_ACCEPT") != "" {
		if _, err := exec.LookPath("espeak-ng"); err != nil {
			t.Skip("espeak-ng is not installed")
		}
		engine, count, kills = "espeak-ng", 10_000, 20
	}
	dir := t.TempDir()
	texts := filepath.Join(dir, "texts.txt")
	if err := os.WriteFile(texts, []byte(sentences(count)), 0o644); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(20, 26))
	after := make([]int, kills) // how many files finished when it is killed
	for i := range after {
		after[i] = random.IntN(count * 9 / 10)
	}
	slices.Sort(after)
	out := filepath.Join(dir, "killed")
	seen := map[string]time.Time{} // finished files, and when they were
	start, finished := time.Now(), false
	killed := 0
	for !finished {
		cmd := exec.Command(os.Args[0], "run", engine, texts, out, "2")
		cmd.Stderr = os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if killed < kills {
			for journalLines(t, out) < after[killed] {
				time.Sleep(5 * time.Millisecond)
			}
			time.Sleep(time.Duration(random.IntN(20)) * time.Millisecond)
			syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		err := cmd.Wait()
		finished = err == nil
		if killed == kills && err != nil {
			t.Fatal(err)
		}
		if !finished {
			killed++
		}
		files, _ := filepath.Glob(filepath.Join(out, "audio", "*", "*.wav"))
		for _, f := range files {
			stat, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			if before, ok := seen[f]; ok && !before.Equal(stat.ModTime()) {
				t.Errorf("%s was made again", f)
			}
			seen[f] = stat.ModTime()
		}
	}
	if killed != kills {
		t.Errorf("killed %d times, want %d: the run is too short", killed, kills)
	}
	checkFolder(t, out, count)
	if len(seen) != count || journalLines(t, out) != count {
		t.Errorf("%d files, %d lines in the journal, want %d", len(seen), journalLines(t, out), count)
	}
	t.Logf("%s: %d files, killed %d times, %.1f s in all", engine, count, killed, time.Since(start).Seconds())

	whole := filepath.Join(dir, "whole")
	start = time.Now()
	if msg, err := exec.Command(os.Args[0], "run", engine, texts, whole, "1").CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, msg)
	}
	t.Logf("undisturbed, one worker: %.1f files/s", float64(count)/time.Since(start).Seconds())
	if readAll(t, out) != readAll(t, whole) {
		t.Error("the folder of the killed run is not the one of an undisturbed run")
	}
}

// sentences are all different.
func sentences(n int) string {
	who := strings.Fields("Anna Ben Clara David Emma Frank Grace Henry Iris Jack")
	does := strings.Fields("sees finds likes draws sings hears brings keeps shows sends")
	what := strings.Fields("trees rivers letters stones songs boats lamps cards maps birds")
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %s %d %s.\n", who[i%10], does[i/10%10], i/100, what[i*7%10])
	}
	return b.String()
}

// How many files a second, against the usual way: Python starting one process after the other.
func TestSpeedAgainstPython(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("a measurement; set SATURATE_ACCEPT=1")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if _, err := exec.LookPath("espeak-ng"); err != nil {
		t.Skip("espeak-ng is not installed")
	}
	const count = 1000
	dir := t.TempDir()
	texts := filepath.Join(dir, "texts.txt")
	if err := os.WriteFile(texts, []byte(sentences(count)), 0o644); err != nil {
		t.Fatal(err)
	}
	const usual = `import subprocess, sys, os
out = sys.argv[2]; os.makedirs(out)
for i, line in enumerate(open(sys.argv[1])):
    subprocess.run(["espeak-ng", "-v", "en-us", "-w", f"{out}/{i}.wav", "--stdin"], input=line.encode(), check=True)
`
	figures := map[string][]float64{}
	for round := range 3 { // in turns, so that both meet the same weather
		for name, cmd := range map[string]*exec.Cmd{
			"python":     exec.Command(python, "-c", usual, texts, filepath.Join(dir, fmt.Sprint("python", round))),
			"saturate 1": exec.Command(os.Args[0], "run", "espeak-ng", texts, filepath.Join(dir, fmt.Sprint("one", round)), "1"),
			"saturate 2": exec.Command(os.Args[0], "run", "espeak-ng", texts, filepath.Join(dir, fmt.Sprint("two", round)), "2"),
		} {
			start := time.Now()
			if msg, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v %s", name, err, msg)
			}
			figures[name] = append(figures[name], count/time.Since(start).Seconds())
		}
	}
	line, _ := json.Marshal(figures)
	t.Logf("files/s, three rounds: %s", line)
}

// A disk that fills up, and one that cannot be written: the reason is said, nothing is lost, and the run goes on later.
func TestFullAndReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=600k"); err != nil {
		t.Skipf("a small disk cannot be made here: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	opt := options(filepath.Join(dir, "out"))
	big := &fake{speak: func(r Request, _ int) ([]byte, error) { return tone(r.Text, 1), nil }}
	_, err := Run(t.Context(), big, numbered(30), opt)
	if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), "files finished; the same command resumes") {
		t.Fatalf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(opt.Dir, stateFolder, "tmp", "*")); len(left) > 0 {
		t.Errorf("left lying: %v", left)
	}
	kept := journalLines(t, opt.Dir)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "size=600k"); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), big, numbered(30), opt); err == nil || !strings.Contains(err.Error(), "read-only file system") || !strings.Contains(err.Error(), "--output") {
		t.Errorf("%v", err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=3m"); err != nil {
		t.Fatal(err)
	}
	if r := run(t, big, numbered(30), opt); r.Reused != kept || kept == 0 || r.Made != 30-kept {
		t.Errorf("%+v, %d kept", r, kept)
	}
	checkFolder(t, opt.Dir, 30)
	// Far too small from the start: it says so before it works.
	opt.Dir = filepath.Join(dir, "more")
	many := numbered(3000)
	if _, err := Run(t.Context(), big, many, opt); err == nil || !strings.Contains(err.Error(), "the speech needs about") {
		t.Errorf("%v", err)
	}
	if bytes.Contains([]byte(fmt.Sprint(big.asked)), []byte("number 2999")) {
		t.Error("it worked all the same")
	}
}
