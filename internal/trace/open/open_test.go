package open

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func zst(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompression(t *testing.T) {
	plain := []byte(sound())
	for name, data := range map[string][]byte{
		"plain": plain, "gzip": gz(sound()), "zstd": zst(t, plain), "gzip in zstd": zst(t, gz(sound())), "zstd frames": append(zst(t, plain[:500]), zst(t, plain[500:])...),
	} {
		t.Run(name, func(t *testing.T) {
			tr, err := From(context.Background(), bytes.NewReader(data), Options{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, tr, whole)
		})
	}
	t.Run("half a zstd", func(t *testing.T) {
		z := zst(t, []byte(strings.Repeat(" ", 1<<20)+sound()))
		_, err := From(context.Background(), bytes.NewReader(z[:len(z)-20]), Options{})
		if err == nil {
			t.Error("no error")
		}
	})
}

// bomb is a gzip file of n repetitions of a text, n large.
func bomb(t *testing.T, begin, repeat string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, begin)
	block := strings.Repeat(repeat, 1+(1<<20)/len(repeat))
	for range n {
		_, _ = io.WriteString(z, block)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBombs(t *testing.T) {
	event := `{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 1, "dur": 1},`
	for name, data := range map[string][]byte{
		"white space":    bomb(t, "[", " ", 80),
		"events":         bomb(t, "[", event, 80),
		"one string":     bomb(t, `[{"name": "`, "aaaaaaaa", 80),
		"deep nest":      bomb(t, `[{"args": `, `{"a":[`, 80),
		"bomb in a bomb": gz(string(bomb(t, "[", " ", 80))),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := From(context.Background(), bytes.NewReader(data), Options{})
			if err == nil || !strings.Contains(err.Error(), "decompress it first") {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("with a higher limit", func(t *testing.T) {
		tr, err := From(context.Background(), bytes.NewReader(bomb(t, "[", event, 80)), Options{MaxRatio: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if tr.Len() < 900_000 {
			t.Errorf("%d events", tr.Len())
		}
	})
	t.Run("absolute limit", func(t *testing.T) {
		_, err := From(context.Background(), bytes.NewReader(gz(sound())), Options{MaxBytes: 2000})
		if err == nil || !strings.Contains(err.Error(), "more than 1.95 KiB") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("many layers", func(t *testing.T) {
		data := []byte(sound())
		for range 5 {
			data = gz(string(data))
		}
		if _, err := From(context.Background(), bytes.NewReader(data), Options{}); err == nil {
			t.Error("no error")
		}
	})
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	anonymous := strings.Replace(sound(), `"rank": 3, `, "", 1)
	rank := func(n int) string { return strings.Replace(sound(), `"rank": 3`, fmt.Sprintf(`"rank": %d`, n), 1) }
	write(t, filepath.Join(dir, "b_rank2.json"), []byte(anonymous))
	write(t, filepath.Join(dir, "c.pt.trace.json.gz"), gz(rank(1)))
	write(t, filepath.Join(dir, "deeper", "d.json.zst"), zst(t, []byte(rank(0))))
	write(t, filepath.Join(dir, "notes.txt"), []byte("not a trace"))
	write(t, filepath.Join(dir, ".hidden", "a.json"), []byte("not looked at"))
	write(t, filepath.Join(dir, "unfinished.json.tmp"), []byte("{"))

	var progress []int64
	var total int64
	traces, err := Read(context.Background(), []string{dir}, Options{Progress: func(done, all int64) {
		progress, total = append(progress, done), all
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tr := range traces {
		got = append(got, fmt.Sprint(tr.Meta().Rank, " ", filepath.Base(tr.Meta().Path)))
	}
	if s := strings.Join(got, ", "); s != "0 d.json.zst, 1 c.pt.trace.json.gz, 2 b_rank2.json" {
		t.Error(s)
	}
	for i := 1; i < len(progress); i++ {
		if progress[i] < progress[i-1] {
			t.Errorf("progress goes back from %d to %d", progress[i-1], progress[i])
		}
	}
	if len(progress) == 0 || progress[len(progress)-1] != total {
		t.Errorf("progress ends at %v of %d", progress, total)
	}

	empty := t.TempDir()
	if _, err := Read(context.Background(), []string{empty}, Options{}); err == nil || !strings.Contains(err.Error(), "no trace in this folder") {
		t.Errorf("error %v", err)
	}
	if _, err := Read(context.Background(), []string{filepath.Join(empty, "missing.json")}, Options{}); !errors.Is(err, os.ErrNotExist) || strings.Count(err.Error(), "missing.json") != 1 {
		t.Errorf("error %v", err)
	}
	if _, err := Read(context.Background(), nil, Options{}); err == nil {
		t.Error("no error without a path")
	}
}

func TestFolderOfJAX(t *testing.T) {
	files, err := Files([]string{folder + "jax"})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || filepath.Base(files[0].Path) != "vm.xplane.pb" {
		t.Errorf("%v: one run must be read once", files)
	}
}

// The folder of a Run holds its figures as JSON, beside its traces.
func TestFolderOfARun(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "run.json"), []byte("{}"))
	write(t, filepath.Join(dir, "profiler_traces", "plugins", "a.json"), []byte(sound()))
	files, err := Files([]string{dir})
	if err != nil || len(files) != 1 || filepath.Base(files[0].Path) != "a.json" {
		t.Errorf("%v, %v", files, err)
	}
}

// TestUnranked orders files by name where nothing tells their ranks.
func TestUnranked(t *testing.T) {
	dir := t.TempDir()
	anonymous := strings.Replace(sound(), `"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8},`, "", 1)
	write(t, filepath.Join(dir, "b.json"), []byte(anonymous))
	write(t, filepath.Join(dir, "a.json"), []byte(anonymous))
	traces, err := Read(context.Background(), []string{filepath.Join(dir, "b.json"), filepath.Join(dir, "a.json")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(traces[0].Meta().Path) != "a.json" || traces[0].Meta().Rank != 0 || traces[1].Meta().Rank != 1 {
		t.Errorf("%+v %+v", traces[0].Meta(), traces[1].Meta())
	}
	alone, err := Read(context.Background(), []string{filepath.Join(dir, "a.json")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if alone[0].Meta().Rank != -1 {
		t.Errorf("rank %d of a single trace", alone[0].Meta().Rank)
	}
}

func TestRankNames(t *testing.T) {
	for name, want := range map[string]string{
		"rank0.json": "0", "trace_rank_12.json.gz": "12", "run-Rank-3.pt.trace.json": "3", "x.rank=7.json": "7",
		"frank1.json": "", "host_1234.170000.pt.trace.json": "",
	} {
		got := ""
		if m := rankName.FindStringSubmatch(name); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%s: rank %q, want %q", name, got, want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"compiled.pt.trace.json.gz", "jax/vm.xplane.pb"} {
		if _, err := Read(ctx, []string{folder + name}, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// FuzzFrom feeds anything through decompression and recognition.
func FuzzFrom(f *testing.F) {
	f.Add([]byte(sound())[:900])
	f.Add(gz(sound()))
	f.Add(stored(sound())[:900])
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x00})
	f.Add([]byte("\n\x10\x12\x0d/device:GPU:0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := From(context.Background(), bytes.NewReader(data), Options{MaxBytes: 1 << 24, MaxEvent: 1 << 20, Workers: 1})
		if err == nil && tr.Quality().Events != tr.Len() {
			t.Errorf("%d events, but the quality says %d", tr.Len(), tr.Quality().Events)
		}
	})
}

// Several files are one job, or an error that says how to go on.
func TestFilesThatAreNoJob(t *testing.T) {
	xplane, err := os.ReadFile(folder + "jax/vm.xplane.pb")
	if err != nil {
		t.Skip("no trace of JAX: ", err)
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"one is broken":    {map[string]string{"rank0.json": sound(), "rank1.json": sound()[:120]}, "To read the other file, leave this one out"},
		"two formats":      {map[string]string{"a.json": sound(), "b.xplane.pb": string(xplane)}, "not ranks of one job"},
		"JAX, three times": {map[string]string{"vm.xplane.pb": string(xplane), "vm.trace.json.gz": "", "perfetto_trace.json.gz": ""}, ""},
	} {
		dir := t.TempDir()
		for file, data := range tt.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		traces, err := Read(context.Background(), []string{dir}, Options{})
		if tt.want == "" && (err != nil || len(traces) != 1) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %d traces, error %v, want %q", name, len(traces), err, tt.want)
		}
	}
	if _, err := Files([]string{""}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty name: %v", err)
	}
	plain := filepath.Join(t.TempDir(), "plain.json")
	if err := os.WriteFile(plain, []byte(sound()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(context.Background(), []string{plain}, Options{MaxBytes: 10}); err == nil || !strings.Contains(err.Error(), "--max-bytes") {
		t.Errorf("a file larger than allowed: %v", err)
	}
}
