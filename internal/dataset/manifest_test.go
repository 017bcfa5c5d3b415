package dataset

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Offsets that are no place in any file, and rows that name no file, are quarantined with what is wrong.
func TestBadRowsOfLists(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.wav"), wav(t, 16000, 1, voice(16000, 1)))
	const number = "offset and duration in the list must be 0 to 1e+09 seconds"
	for _, tt := range []struct{ name, text, want string }{
		{"nan.csv", "path,offset,duration\na.wav,NaN,1\n", number},
		{"inf.csv", "path,offset,duration\na.wav,Inf,1\n", number},
		{"far.csv", "path,offset,duration\na.wav,1e300,1\n", number},
		{"word.csv", "path,offset,duration\na.wav,soon,1\n", number},
		{"long.csv", "path,offset,duration\na.wav,0,NaN\n", number},
		{"less.csv", "path,offset,duration\na.wav,-1,1\n", number},
		{"far.jsonl", `{"path": "a.wav", "offset": 1e400, "duration": 1}`, number},
		{"behind.csv", "path,offset,duration\na.wav,1e9,1e9\n", "ends before the offset"},
		{"bytes.jsonl", "{\"path\": \"a.wav\", \"text\": \"b\xffd\"}\n", "the list is not valid UTF-8 there"},
		{"empty.csv", "path,text\n,x\n", "the list has no file name there"},
		{"net.csv", "path\nhttps://x.org/a.wav\n", `"https://x.org/a.wav" is a URL`},
		{"pipe.scp", "one sox a.wav -t wav - |\n", `"sox a.wav -t wav - |" is a command`},
	} {
		write(t, filepath.Join(dir, tt.name), []byte(tt.text))
		o := small(t, dir, "hdf5")
		r, err := Build(context.Background(), find(t, dir, tt.name), o)
		if _, missing := os.Stat(o.Output); err == nil || missing == nil {
			t.Errorf("%s: an output without a usable row: %v", tt.name, err)
		}
		if len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, tt.want) {
			t.Errorf("%s: %+v, want %q", tt.name, r.Failed, tt.want)
		}
		if want := strings.HasPrefix(tt.want, "the list names") || strings.HasPrefix(tt.want, `"sox`) || strings.Contains(tt.want, "UTF-8"); want &&
			!strings.HasPrefix(r.Failed[0].Path, tt.name+" line ") {
			t.Errorf("%s: the place is %q", tt.name, r.Failed[0].Path)
		}
	}
	write(t, filepath.Join(dir, "good.csv"), []byte("path,offset,duration\na.wav,,\na.wav,0.5,1e9\n"))
	if r := build(t, find(t, dir, "good.csv"), small(t, dir, "hdf5")); len(r.Failed) != 0 || r.AudioSeconds != 1.5 {
		t.Errorf("%+v", r)
	}
}

// Columns keep apart whatever they are called, in every format.
func TestColumnNames(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.wav"), wav(t, 16000, 1, voice(16000, 1)))
	write(t, filepath.Join(dir, "list.jsonl"), []byte(`{"path": "a.wav", "frames": 1, "input_frames": 2, "a/b": 3, "a:b": 4, "../../up": 5, "mel": 6, "": 7, ".": 8}`))
	want := map[string]float64{"input_input_frames": 1, "input_frames": 2, "a_b": 3, "a_b_2": 4, ".._.._up": 5, "input_mel": 6, "column_": 7, "column_.": 8}
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		build(t, find(t, dir, "list.jsonl"), o)
		b, _, err := openAny(o.Output)
		if err != nil {
			t.Fatalf("%s: %v", to, err)
		}
		for name, v := range want {
			if got := b.numbers[name]; len(got) != 1 || got[0] != v {
				t.Errorf("%s: column %s is %v, want %g", to, name, got, v)
			}
		}
		b.close()
		if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || c.Equal != 1 {
			t.Errorf("%s: %v %+v", to, err, c)
		}
	}
}

// Every row of an archive is computed again by a check; what a damaged one has lost is not passed over.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	put := func(name string, data []byte) {
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644})
		w.Write(data)
	}
	for i := range 3 {
		put(fmt.Sprintf("%d.wav", i), wav(t, 16000, 1, voice(8000, uint64(i))))
	}
	put("1.json", []byte(`{"text": `))
	w.Close()
	write(t, filepath.Join(dir, "a.tar"), archive.Bytes())
	o := small(t, dir, "hdf5")
	r := build(t, find(t, dir, "a.tar"), o)
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "a.tar: 1 member gave no columns, the first is 1.json") {
		t.Errorf("%v", r.Notes)
	}
	if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || c.Equal != 3 || c.Skipped != 0 {
		t.Errorf("%v %+v", err, c)
	}
	first := archive.Bytes()[:512+16384+200] // inside the second header
	write(t, filepath.Join(dir, "cut.tar"), first)
	r = build(t, find(t, dir, "cut.tar"), small(t, dir, "hdf5"))
	if len(r.Failed) != 1 || r.Files != 2 || !strings.Contains(r.Failed[0].Reason, "damaged after its member 0.wav") {
		t.Errorf("%+v", r)
	}
}

// A build that is complete says again what it could not use, in formats that leave it out too.
func TestCompleteStillTellsFailures(t *testing.T) {
	dir := corpus(t, 12)
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		first := build(t, find(t, dir), o)
		again := build(t, find(t, dir), o)
		if !again.Existing || len(first.Failed) == 0 || fmt.Sprint(again.Failed) != fmt.Sprint(first.Failed) {
			t.Errorf("%s: %v, and then %v", to, first.Failed, again.Failed)
		}
	}
}

// A text of megabytes in a shard can be read back.
func TestLongTextInShard(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.wav"), wav(t, 16000, 1, voice(16000, 1)))
	write(t, filepath.Join(dir, "list.jsonl"), fmt.Appendf(nil, `{"path": "a.wav", "text": %q}`, strings.Repeat("x", 3<<20)))
	o := small(t, dir, "webdataset")
	build(t, find(t, dir, "list.jsonl"), o)
	if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || c.Equal != 1 {
		t.Errorf("%v %+v", err, c)
	}
}
