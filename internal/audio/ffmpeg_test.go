package audio

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A reason goes into datasets, which are the same bytes every time: no addresses in memory, no folders, no temporary
// names.
func TestComplaint(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, tt := range []struct{ text, path, want string }{
		{"[wav @ 0x55cd5d3bc9c0] no 'data' tag found\nfile:/a/b.wav: Invalid data\n", "/a/b.wav", "no 'data' tag found"},
		{"[mov,mp4,m4a,3gp,3g2,mj2 @ 0x559b] moov atom not found", "/a/b.m4a", "moov atom not found"},
		{"file:/a/b: c.wav: Invalid data found", "/a/b: c.wav", "Invalid data found"},
		{"file:/a/?[31m\nb.wav: Invalid data found", "/a/\x1b[31m\nb.wav", "Invalid data found"},
		{"", "/a/b.wav", "exit status 1"},
	} {
		if got := complaint(tt.text, tt.path, failed); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestSameComplaintEverywhere(t *testing.T) {
	ffmpegHere(t)
	damaged := []byte("RIFF\x24\x00\x00\x00WAVEfmt \x14\x00\x00\x00\x11\x00\x01\x00\x80\x3e\x00\x00\x40\x1f\x00\x00\x00\x01\x04\x00\x02\x00\xf9\x01fact") // ADPCM, then nothing
	var first string
	for i, dir := range []string{t.TempDir(), t.TempDir(), ""} {
		path := ""
		if dir != "" {
			path = filepath.Join(dir, "a.wav")
			if err := os.WriteFile(path, damaged, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Decode(context.Background(), "a.wav", damaged, Options{Path: path})
		switch {
		case err == nil || !strings.Contains(err.Error(), "ffmpeg cannot decode it"):
			t.Fatalf("%v", err)
		case i == 0:
			first = err.Error()
		case err.Error() != first:
			t.Errorf("%q, and before %q", err, first)
		}
	}
}

// Whoever waits no longer is told so, not that ffmpeg was killed.
func TestFFmpegStopped(t *testing.T) {
	slow := filepath.Join(t.TempDir(), "slow")
	if err := os.WriteFile(slow, []byte("#!/bin/sh\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh here")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := Decode(ctx, "a.m4a", []byte("\x00\x00\x00\x20ftypM4A unknown to every decoder here"), Options{FFmpeg: slow})
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "killed") {
		t.Errorf("%v", err)
	}
}

// ffmpeg plays the rest of a file as if there had never been more; its own header knows better.
func TestCutForFFmpeg(t *testing.T) {
	ffmpeg := ffmpegHere(t)
	for _, name := range []string{"a.aiff", "a.au", "adpcm.wav"} {
		path := filepath.Join(t.TempDir(), name)
		args := []string{"-v", "error", "-f", "lavfi", "-i", "sine=duration=2:sample_rate=16000"}
		if name == "adpcm.wav" {
			args = append(args, "-c:a", "adpcm_ima_wav")
		}
		if msg, err := exec.Command(ffmpeg, append(args, path)...).CombinedOutput(); err != nil {
			t.Skipf("%v: %s", err, msg)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if clip, err := Decode(context.Background(), name, whole, Options{}); err != nil || clip.Len() < 32000 {
			t.Errorf("%s: %v, %d samples", name, err, clip.Len())
		}
		for _, n := range []int{len(whole) / 2, len(whole) - 4096} {
			if _, err := Decode(context.Background(), name, whole[:n], Options{}); !errors.Is(err, ErrTruncated) {
				t.Errorf("%s, %d of %d bytes: %v", name, n, len(whole), err)
			}
		}
	}
}
