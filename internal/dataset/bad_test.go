package dataset

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"saturate/internal/mel"
)

// header is a WAV header that may lie.
func header(code, channels, rate, bits int, data uint32) []byte {
	le := binary.LittleEndian
	b := append([]byte("RIFF"), le.AppendUint32(nil, 36+data)...)
	b = append(b, "WAVEfmt \x10\x00\x00\x00"...)
	b = le.AppendUint16(le.AppendUint16(b, uint16(code)), uint16(channels))
	b = le.AppendUint32(le.AppendUint32(b, uint32(rate)), uint32(rate*channels*bits/8))
	b = le.AppendUint16(le.AppendUint16(b, uint16(channels*bits/8)), uint16(bits))
	return le.AppendUint32(append(b, "data"...), data)
}

// Every bad input gets its reason, its row and its place in the list, and the rest is built.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) { write(t, filepath.Join(dir, name), data) }
	good := wav(t, 16000, 1, voice(16000, 1))
	floats := func(values ...float32) []byte {
		b := header(3, 1, 16000, 32, uint32(4*len(values)))
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
		return b
	}
	many := make([]int16, 20*1600)
	copy(many, voice(len(many), 3))
	put("a good.wav", good)
	put("b empty.wav", nil)
	put("c cut.wav", good[:len(good)-1000])
	put("d lying.wav", append(header(1, 1, 16000, 16, 1<<30), good[44:]...))
	put("e no rate.wav", append(header(1, 1, 0, 16, 2), 1, 2))
	put("f one sample.wav", wav(t, 16000, 1, []int16{77}))
	put("g nan.wav", floats(0.1, float32(math.NaN()), 0.2))
	put("h silence.wav", wav(t, 16000, 1, make([]int16, 16000)))
	put("i twenty channels.wav", wav(t, 16000, 20, many))
	if err := os.Mkdir(filepath.Join(dir, "j folder.wav"), 0o755); err != nil {
		t.Fatal(err)
	}
	put("k page.wav", []byte("<!DOCTYPE html><title>404</title>"))
	put("l header only.wav", header(1, 1, 16000, 16, 0))
	put("m too many channels.wav", append(header(1, 65535, 16000, 16, 4), 1, 2, 3, 4))
	put("n \xff\xfe.wav", good)
	put("o huge.wav", floats(0.1, 1e20, 0.2, 0.3))
	// 30 hours, 8 bits at 8 kHz, of which the disk has nothing.
	long := filepath.Join(dir, "p 30 hours.wav")
	put("p 30 hours.wav", header(1, 1, 8000, 8, 30*3600*8000))
	if err := os.Truncate(long, 44+30*3600*8000); err != nil {
		t.Fatal(err)
	}
	put("sub/a good.wav", good) // the same name in another folder

	reasons := map[string]string{
		"b empty.wav":             "the file is empty (0 bytes)",
		"c cut.wav":               "the file ends early: the header says 32,000 bytes of samples, the file has 31,000",
		"d lying.wav":             "the file ends early: the header says 1,073,741,824 bytes",
		"e no rate.wav":           "the header says 0 Hz",
		"g nan.wav":               "sample 1 is not a number",
		"j folder.wav":            "is a folder",
		"k page.wav":              "the file is a web page, not audio",
		"l header only.wav":       "has no samples",
		"m too many channels.wav": "the header says 65535 channels",
	}
	ragged := map[string]string{"f one sample.wav": "fewer than one hop", "p 30 hours.wav": "108000 s long", "o huge.wav": "fewer than one hop"}
	l := find(t, dir)
	if l.Odd != 1 || len(l.Items) != 17 {
		t.Fatalf("%d items, %d odd names", len(l.Items), l.Odd)
	}
	for _, layout := range []string{Fixed, Ragged} {
		o := small(t, dir, "hdf5")
		o.Layout = layout
		r := build(t, l, o)
		b, _, err := openAny(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		defer b.close()
		failed := map[string]string{}
		for _, f := range r.Failed {
			failed[f.Path] = f.Reason
			if b.texts["path"][f.Row] != f.Path || b.texts["error"][f.Row] != f.Reason || b.numbers["valid"][f.Row] != 0 {
				t.Errorf("row %d is of %s: %s", f.Row, b.texts["path"][f.Row], b.texts["error"][f.Row])
			}
		}
		want := len(reasons)
		for name, reason := range reasons {
			if !strings.Contains(failed[name], reason) {
				t.Errorf("%s, %s: %q, want %q", layout, name, failed[name], reason)
			}
		}
		if layout == Ragged {
			want += len(ragged)
			for name, reason := range ragged {
				if !strings.Contains(failed[name], reason) {
					t.Errorf("%s: %q, want %q", name, failed[name], reason)
				}
			}
		} else {
			checkSilence(t, b, "h silence.wav")
			if i := rowOf(t, b, "o huge.wav"); b.numbers["bad_samples"][i] != 1 || r.BadSamples != 1 {
				t.Error("an impossible sample is not counted")
			}
			if i := rowOf(t, b, "p 30 hours.wav"); b.numbers["duration"][i] != 30*3600 || b.numbers["frames"][i] != 100 {
				t.Errorf("30 hours are %g s, %g frames", b.numbers["duration"][i], b.numbers["frames"][i])
			}
		}
		if len(r.Failed) != want {
			t.Errorf("%s: %d failed, want %d: %v", layout, len(r.Failed), want, r.Failed)
		}
		rowOf(t, b, `n \xff\xfe.wav`)
		rowOf(t, b, "sub/a good.wav")
		list, err := os.ReadFile(quarantineName(o.Output))
		if err != nil || strings.Count(string(list), "\n") != want || !json.Valid(list[:strings.IndexByte(string(list), '\n')]) {
			t.Errorf("%v, the list is %s", err, list)
		}
		c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0)
		if err != nil || len(c.Problems) > 0 || c.Skipped != 0 {
			t.Errorf("%v, %+v", err, c)
		}
		// The first one ends a strict build, and nothing has the output's name.
		o.Strict, o.Output = true, filepath.Join(t.TempDir(), "strict")
		o.Workers = 1
		if _, err := Build(t.Context(), l, o); err == nil || !strings.Contains(err.Error(), "b empty.wav: the file is empty (0 bytes) (--strict)") {
			t.Errorf("%v", err)
		}
		if _, err := os.Stat(o.Output); err == nil {
			t.Error("a strict build made an output all the same")
		}
	}
}

func rowOf(t *testing.T, b *built, path string) int {
	t.Helper()
	for i, p := range b.texts["path"] {
		if p == path {
			return i
		}
	}
	t.Fatalf("%s has no row", path)
	return 0
}

// checkSilence: log10 of 1e-10 is -10, 8 below itself is lower, (-10+4)/4 is -1.5.
func checkSilence(t *testing.T, b *built, path string) {
	t.Helper()
	i := rowOf(t, b, path)
	got := make([]uint16, 80*100)
	if err := b.features(int64(i*len(got)), got); err != nil {
		t.Fatal(err)
	}
	for _, v := range got {
		if mel.Single(v) != -1.5 {
			t.Fatalf("silence is %g", mel.Single(v))
		}
	}
}

// A finished output from which something is missing is not taken for finished.
func TestCutOutput(t *testing.T) {
	dir := corpus(t, 8)
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		build(t, find(t, dir), o)
		path := o.Output
		if f, err := newFormat(o, shape{params: o.Params, length: 480000}, &List{}); err == nil && f.folder() {
			path = filepath.Join(path, f.file(0))
		}
		if err := os.Truncate(path, 20000); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), find(t, dir), o); err == nil || !strings.Contains(err.Error(), "--replace") {
			t.Errorf("%s: %v", to, err)
		}
		o.Replace = true
		build(t, find(t, dir), o)
		if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || len(c.Problems) > 0 {
			t.Errorf("%s: %v %+v", to, err, c)
		}
	}
}

// A file that nobody may read, for those who are not root.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root reads everything: a link to itself nobody can open.
		dir := t.TempDir()
		write(t, filepath.Join(dir, "good.wav"), wav(t, 16000, 1, voice(4000, 1)))
		if err := os.Symlink("loop.wav", filepath.Join(dir, "loop.wav")); err != nil {
			t.Skip(err)
		}
		r := build(t, find(t, dir), small(t, dir, "hdf5"))
		if len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, "cannot be read") {
			t.Errorf("%+v", r.Failed)
		}
		return
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "good.wav"), wav(t, 16000, 1, voice(4000, 1)))
	write(t, filepath.Join(dir, "secret.wav"), wav(t, 16000, 1, voice(4000, 2)))
	if err := os.Chmod(filepath.Join(dir, "secret.wav"), 0); err != nil {
		t.Fatal(err)
	}
	// Nor a folder: what might be in it is missing, which is not a success.
	write(t, filepath.Join(dir, "closed", "a.wav"), nil)
	if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Join(dir, "closed"), 0o755)
	for _, arg := range []string{".", "**/*.wav"} {
		r := build(t, find(t, dir, arg), small(t, dir, "hdf5"))
		if len(r.Failed) != 2 || !strings.Contains(r.Failed[0].Reason, "permission denied") || !strings.Contains(r.Failed[1].Reason, "permission denied") {
			t.Errorf("%s: %+v", arg, r.Failed)
		}
	}
}

// Lines of many workers are all there, each whole, while the rows are flushed again and again.
func TestJournalOfManyWorkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.journal")
	const workers, each = 8, 200
	items := make([]Item, workers*each)
	j, err := openJournal(path, "boot", nil, items, make([]outcome, len(items)), false)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := range each {
				item := w*each + i
				if err := j.add(item, &items[item], &outcome{state: done, samples: int64(item + 1)}); err != nil {
					t.Error(err)
				}
				if i%50 == 0 {
					if err := j.flush(func() error { return nil }); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	group.Wait()
	j.close()
	results := make([]outcome, len(items))
	if j, err = openJournal(path, "boot", nil, items, results, false); err != nil {
		t.Fatal(err)
	}
	j.close()
	for i := range results {
		if results[i].state != done || results[i].samples != int64(i+1) {
			t.Fatalf("item %d was noted as %+v", i, results[i])
		}
	}
}

// After power loss only what was flushed counts; after SIGKILL all that was noted; and an input that was
// changed since is done again.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.journal")
	items := make([]Item, 6)
	for i := range items {
		items[i] = Item{Path: string(rune('a' + i)), Size: int64(i), Time: 7}
	}
	settings := map[string]string{"n_mels": "80"}
	open := func(boot string) (*journal, []outcome) {
		t.Helper()
		results := make([]outcome, len(items))
		j, err := openJournal(path, boot, settings, items, results, false)
		if err != nil {
			t.Fatal(err)
		}
		return j, results
	}
	finished := func(results []outcome) (list string) {
		for i := range results {
			if results[i].state != todo {
				list += items[i].Path
			}
		}
		return list
	}
	sum := [32]byte{1, 2, 3}
	j, _ := open("first")
	for i := range 3 {
		if err := j.add(i, &items[i], &outcome{state: done, samples: 5, seconds: 0.5, rate: 8000, channels: 2, sha: &sum}); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := j.flush(func() error { return j.add(4, &items[4], &outcome{state: quarantined, reason: "no \"good\""}) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	j.file.WriteAt([]byte("{\"item\":5,\"sam"), j.size) // cut off by SIGKILL
	j.close()
	j, results := open("first")
	j.close()
	if got := finished(results); got != "abce" || results[4].reason != `no "good"` || results[0].samples != 5 || *results[0].sha != sum || results[0].seconds != 0.5 {
		t.Errorf("after SIGKILL: %q, %+v", got, results)
	}
	items[0].Time++
	j, results = open("first")
	j.close()
	if got := finished(results); got != "bce" {
		t.Errorf("after a change: %q", got)
	}
	items[0].Time--
	j, results = open("second")
	j.close()
	if got := finished(results); got != "ab" {
		t.Errorf("after power loss: %q", got)
	}
	// What was not flushed stays forgotten in the next run of the machine.
	j, results = open("second")
	j.close()
	if got := finished(results); got != "ab" {
		t.Errorf("after power loss, again: %q", got)
	}
	// A repeated --replace goes on as well; only other settings begin anew.
	results = make([]outcome, len(items))
	j, err := openJournal(path, "second", settings, items, results, true)
	if err != nil || finished(results) != "ab" {
		t.Fatalf("%v, %q", err, finished(results))
	}
	j.close()
	settings["n_mels"] = "128"
	if _, err := openJournal(path, "second", settings, items, results, false); err == nil || !strings.Contains(err.Error(), "n_mels was 80, is now 128") {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile(path, []byte("nonsense\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := openJournal(path, "second", settings, items, results, false); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("%v", err)
	}
}

// Files longer than memory are cut as they are read, with the same rows as when they are not.
func TestStreamedSegments(t *testing.T) {
	dir := t.TempDir()
	n := 16000*300 + 123
	data := wav(t, 16000, 1, voice(n, 9))
	write(t, filepath.Join(dir, "a.wav"), wav(t, 16000, 1, voice(20000, 1)))
	write(t, filepath.Join(dir, "b.wav"), data) // more than wholeFile
	write(t, filepath.Join(dir, "c.wav"), wav(t, 16000, 1, voice(20000, 2)))
	write(t, filepath.Join(dir, "d.wav"), append(header(1, 1, 16000, 16, uint32(len(data))), data[44:]...)) // cut off
	late := header(3, 1, 16000, 32, 4*2_400_000)
	for i := range 2_400_000 {
		late = binary.LittleEndian.AppendUint32(late, math.Float32bits(float32(i%100)/200))
	}
	write(t, filepath.Join(dir, "e.wav"), append(late[:len(late)-4], 0, 0, 0xc0, 0x7f)) // its last sample is no number
	l := find(t, dir)
	if l.Items[1].Size <= wholeFile {
		t.Fatal("the file is not long enough to be streamed")
	}
	for _, to := range FormatNames() {
		want := ""
		for _, workers := range []int{1, 3} {
			o := small(t, dir, to)
			o.Workers, o.Segment, o.Overlap, o.FFmpeg, o.Shard = workers, 30*time.Second, 5*time.Second, "none", 4
			r := build(t, l, o)
			if shards, _ := filepath.Glob(filepath.Join(o.Output, "*.tar")); to == "webdataset" && len(shards) != 4 {
				t.Errorf("the shards are %v", shards)
			}
			if len(r.Failed) != 2 || r.Failed[0].Path != "d.wav" || r.Failed[1].Reason != "sample 2399999 is not a number" || r.Rows != 1+12+1+1+1 {
				t.Errorf("%s: %d rows, %v", to, r.Rows, r.Failed)
			}
			c, err := Check(t.Context(), o.Output, Options{Dir: dir, FFmpeg: "none"}, 0)
			if err != nil || len(c.Problems) > 0 || c.Tried != 14 || c.Equal != 14 {
				t.Errorf("%s: %v, %+v", to, err, c)
			}
			got := fingerprint(t, o.Output)
			if want == "" {
				want = got
			}
			if got != want {
				t.Errorf("%s: other bytes with %d workers", to, workers)
			}
		}
	}
	// Stopped inside the long file, it begins again with it.
	o := small(t, dir, "hdf5")
	o.Workers, o.Segment, o.Overlap, o.FFmpeg = 1, 30*time.Second, 5*time.Second, "none"
	build(t, l, o)
	want := fingerprint(t, o.Output)
	o.Output += "2"
	ctx, cancel := context.WithCancel(t.Context())
	o.Computer = stopAfter(o, cancel, 5)
	if _, err := Build(ctx, l, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	o.Computer = nil
	if r := build(t, l, o); r.Resumed != 1 || fingerprint(t, o.Output) != want {
		t.Errorf("%d files were kept", r.Resumed)
	}
}

// A finished output that was damaged later is found out, by --check and by the next run, without a crash.
func TestDamagedOutput(t *testing.T) {
	dir := corpus(t, 8)
	l := find(t, dir)
	for _, to := range []string{"hdf5", "parquet"} {
		o := small(t, dir, to)
		build(t, l, o)
		whole, err := os.ReadFile(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		noticed := 0
		const tries = 60
		for i := range tries {
			data := append([]byte{}, whole...)
			if i%2 == 0 {
				data = data[:len(data)*i/tries]
			} else {
				for k := range 200 { // behind the features, where columns and headers are
					data[len(data)-1-(i*37+k*11)%5000] ^= byte(1 + i)
				}
			}
			if err := os.WriteFile(o.Output, data, 0o644); err != nil {
				t.Fatal(err)
			}
			c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0)
			if err != nil || len(c.Problems) > 0 || c.Skipped > 0 {
				noticed++
			}
			Build(t.Context(), l, o) // may say anything but nothing at all
		}
		if noticed < tries*9/10 {
			t.Errorf("%s: %d of %d damages are noticed", to, noticed, tries)
		}
	}
}
