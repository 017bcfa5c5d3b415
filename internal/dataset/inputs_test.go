package dataset

import (
	"archive/tar"
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/rows"
)

// describe lists items the way a test can compare them.
func describe(l *List) string {
	var b strings.Builder
	for i := range l.Items {
		it := &l.Items[i]
		fmt.Fprintf(&b, "%s", it.name())
		if it.Start != 0 || it.Span != 0 {
			fmt.Fprintf(&b, " [%g+%g]", it.Start, it.Span)
		}
		for k, c := range l.Columns {
			if v := it.value(k); v.text != "" {
				fmt.Fprintf(&b, " %s=%s", c, v.text)
			}
		}
		if it.Bad != "" {
			fmt.Fprintf(&b, " (%s)", it.Bad)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestInputs(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/2.wav", "a/1.wav", "a/sub/3.flac", "a/notes.txt", "a/.hidden/4.wav", "a/.5.wav", "b/6.mp3", "b/7.odd"} {
		write(t, filepath.Join(dir, name), []byte("x"))
	}
	if err := os.Symlink("a", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	put := func(name, text string) { write(t, filepath.Join(dir, name), []byte(text)) }
	put("nemo.jsonl", `{"audio_filepath": "a/1.wav", "offset": 1.5, "duration": 2, "text": "hé", "lang": null}`+"\n\n"+
		`{"audio_filepath": "a/2.wav", "offset": 0, "duration": 2.5, "speaker": {"id": 3}}`+"\n")
	put("plain.jsonl", `{"audio_filepath": "a/1.wav", "duration": 2, "text": "one"}`+"\n")
	put("list.json", `["a/1.wav", "b/6.mp3"]`)
	put("viewer.json", `{"features": [], "rows": [{"row_idx": 0, "row": {"audio": {"path": "a/1.wav", "bytes": null}, "sentence": "hi"}}]}`)
	put("cv.tsv", "client_id\tpath\tsentence\n007\ta/1.wav\tsay \"hi\"\n008\ta/none.wav\t\n")
	put("hf.csv", "\xEF\xBB\xBFfile_name,transcription\na/1.wav,\"one, two\"\n")
	put("mine.csv", "clip,noise,text\na/1.wav,a/2.wav,x\n")
	put("wav.scp", "utt1 a/1.wav\nutt2\ta/2.wav\nutt3 sph2pipe -f wav x.sph |\n")
	put("speech/manifest.json", `[{"audio_filepath": "audio/x.wav", "text": "said", "duration": 1.0, "voice": "m1"}]`)
	put("speech/audio/x.wav", "x")
	put("speech/.saturate-tts/journal.jsonl", "")
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, m := range [][2]string{{"d/one.json", `{"text": "first", "n": 1}`}, {"d/one.wav", "12"}, {"d/two.flac", "345"}, {"d/two.txt", " second \n"}, {"d/readme.md", "x"}} {
		w.WriteHeader(&tar.Header{Name: m[0], Size: int64(len(m[1])), Mode: 0o644})
		w.Write([]byte(m[1]))
	}
	w.Close()
	write(t, filepath.Join(dir, "pack.tar"), archive.Bytes())

	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"link"}, "link/1.wav\nlink/2.wav\nlink/sub/3.flac\n"},
		{[]string{"a"}, "a/1.wav\na/2.wav\na/sub/3.flac\n"},
		{[]string{"b/7.odd", "a/2.wav", "a/2.wav"}, "b/7.odd\na/2.wav\na/2.wav\n"},
		{[]string{"a/*.wav"}, "a/1.wav\na/2.wav\n"},
		{[]string{"a/**/*.flac"}, "a/sub/3.flac\n"},
		{[]string{"**/*.mp3", "a/[12].wav"}, "b/6.mp3\na/1.wav\na/2.wav\n"},
		{[]string{"nemo.jsonl"}, "a/1.wav [1.5+2] offset=1.5 duration=2 text=hé\na/2.wav [0+2.5] offset=0 duration=2.5 speaker={\"id\": 3}\n"},
		{[]string{"plain.jsonl"}, "a/1.wav duration=2 text=one\n"},
		{[]string{"list.json"}, "a/1.wav\nb/6.mp3\n"},
		{[]string{"viewer.json"}, "a/1.wav sentence=hi\n"},
		{[]string{"cv.tsv"}, "a/1.wav client_id=007 sentence=say \"hi\"\na/none.wav client_id=008 (cannot be read: no such file or directory)\n"},
		{[]string{"hf.csv"}, "a/1.wav transcription=one, two\n"},
		{[]string{"wav.scp"}, "a/1.wav id=utt1\na/2.wav id=utt2\nwav.scp line 3 id=utt3 (\"sph2pipe -f wav x.sph |\" is a command, and mel does not run commands from lists; write its output to a file)\n"},
		{[]string{"speech"}, "speech/audio/x.wav text=said duration=1.0 voice=m1\n"},
		{[]string{"pack.tar"}, "pack.tar/d/one.wav text=first n=1\npack.tar/d/two.flac text=second\n"},
	} {
		if got := describe(find(t, dir, tt.args...)); got != tt.want {
			t.Errorf("%v:\n%swant\n%s", tt.args, got, tt.want)
		}
	}
	l := find(t, dir, "pack.tar")
	if l.Items[0].Size != 2 || l.Items[1].Size != 3 || string(archive.Bytes()[l.Items[1].At:][:3]) != "345" {
		t.Errorf("%+v", l.Items)
	}
	for args, want := range map[string]string{
		"none.wav": "does not exist; give audio files", "none/*.wav": "no file matches", "a/notes.txt.json": "does not exist", "[": "invalid pattern",
		"mine.csv": "no column audio_filepath or", "a/sub/..": "", "empty": "no audio files",
	} {
		os.MkdirAll(filepath.Join(dir, "empty"), 0o755)
		_, err := Find(t.Context(), []string{args}, FindOptions{Dir: dir})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if l, err := Find(t.Context(), []string{"mine.csv"}, FindOptions{Dir: dir, PathColumn: "clip"}); err != nil || describe(l) != "a/1.wav noise=a/2.wav text=x\n" {
		t.Errorf("%v", err)
	}
	for name, want := range map[string]string{
		"bad1.jsonl": "line 2 is neither a JSON object nor a string", "bad2.json": "without an array named", "bad3.csv": "it is empty",
		"bad4.scp": "line 1: expected: name path", "bad5.jsonl": "lists no audio", "bad6.tar": "",
	} {
		text := map[string]string{
			"bad1.jsonl": "{\"path\": \"a/1.wav\"}\n[1]\n", "bad2.json": `{"a": 1}`, "bad4.scp": "alone\n", "bad6.tar": "this is no archive",
		}[name]
		put(name, text)
		if _, err := Find(t.Context(), []string{name}, FindOptions{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// Manifest columns become numbers where all cells are, and never hide the output's own.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		write(t, filepath.Join(dir, fmt.Sprintf("%d.wav", i)), wav(t, 16000, 1, voice(8000*(i+1), uint64(i))))
	}
	write(t, filepath.Join(dir, "m.jsonl"), []byte(
		`{"path": "0.wav", "n": 1, "x": 0.5, "valid": true, "id": "a\u0000b", "a/b": "c", "mixed": 1, "prompt": ""}
{"path": "1.wav", "n": 2, "x": 2, "valid": false, "id": "ä", "a/b": "", "mixed": "one"}
{"path": "2.wav", "n": -3, "id": "", "mixed": null, "offset": 0.5, "duration": 0.25}
`))
	l := find(t, dir, "m.jsonl")
	for _, to := range FormatNames() {
		o := small(t, dir, to)
		build(t, l, o)
		b, _, err := openAny(o.Output)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(b.numbers["n"], b.numbers["x"]) != "[1 2 -3] [0.5 2 NaN]" {
			t.Errorf("%s: %v %v", to, b.numbers["n"], b.numbers["x"])
		}
		if fmt.Sprint(b.numbers["duration"], b.numbers["input_offset"]) != "[0.5 1 0.25] [NaN NaN 0.5]" {
			t.Errorf("%s: %v %v", to, b.numbers["duration"], b.numbers["input_offset"])
		}
		if fmt.Sprintf("%q %q %q %q", b.texts["input_valid"], b.texts["id"], b.texts["a_b"], b.texts["mixed"]) !=
			`["true" "false" ""] ["a�b" "ä" ""] ["c" "" ""] ["1" "one" ""]` {
			t.Errorf("%s: %q %q %q %q", to, b.texts["input_valid"], b.texts["id"], b.texts["a_b"], b.texts["mixed"])
		}
		if got := fmt.Sprintf("%q", b.texts["prompt"]); got != `["" "" ""]` {
			t.Errorf("%s: texts that are all empty are %s, and numbers %v", to, got, b.numbers["prompt"])
		}
		b.close()
		c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0)
		if err != nil || len(c.Problems) > 0 || c.Equal != 3 {
			t.Errorf("%s: %v %+v", to, err, c)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(byte(0), []byte(`{"audio_filepath": "a.wav", "offset": 1.5, "duration": 2}`+"\n"))
	f.Add(byte(1), []byte(`{"rows": [{"row": {"audio": {"path": "a.wav"}}}]}`))
	f.Add(byte(2), []byte("path,text\na.wav,\"x\ny\"\n"))
	f.Add(byte(3), []byte("path\ttext\na.wav\tx\n"))
	f.Add(byte(4), []byte("utt1 a.wav\nutt2\tb.wav\nutt3 cat x |\n"))
	f.Add(byte(5), []byte("a.wav\n\nb\x00\xff.wav\r\n"))
	f.Add(byte(2), []byte("LJ001-0001|one, two|three\n|x\n\xff|y\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		name := []string{"m.jsonl", "m.json", "m.csv", "m.tsv", "m.scp", "m.txt"}[kind%6]
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := Find(t.Context(), []string{name}, FindOptions{Dir: dir})
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Error("an error without words")
			}
			return
		}
		for i := range l.Items {
			it := &l.Items[i]
			if name == "m.scp" && it.Bad == "" && (strings.HasSuffix(it.Path, "|") || strings.HasPrefix(filepath.Base(it.Path), "|")) {
				t.Fatalf("a command is taken for a file: %+v", it)
			}
			if (it.Start < 0 || it.Span < 0) && it.Bad == "" || clean(it.name()) != it.name() || len(it.values) > len(l.Columns) {
				t.Fatalf("%+v", it)
			}
		}
		for k, c := range l.Columns {
			if clean(c) != c {
				t.Fatalf("column %q", c)
			}
			l.inputColumn(k, c)
		}
	})
}

func FuzzSCP(f *testing.F) {
	f.Add([]byte("utt1 a.wav\nutt2\tb c.wav\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = readSCP(bufio.NewReader(bytes.NewReader(data)), func(e rows.Row) error {
			if len(e.Names) != 2 || len(e.Cells) != 2 || e.Cells[0].Text == "" {
				t.Fatalf("%+v", e)
			}
			return nil
		})
	})
}

func FuzzTar(f *testing.F) {
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, name := range []string{"a.json", "a.wav", "b.txt"} {
		w.WriteHeader(&tar.Header{Name: name, Size: 2, Mode: 0o644})
		w.Write([]byte("{}"))
	}
	w.Close()
	f.Add(archive.Bytes())
	f.Add(archive.Bytes()[:700])
	f.Fuzz(func(t *testing.T, data []byte) {
		members, _, _ := readTar(bytes.NewReader(data))
		for _, m := range members {
			if m.item.At < 0 || m.item.Size < 0 || m.item.At > int64(len(data)) || len(m.names) != len(m.values) {
				t.Fatalf("%+v of %d bytes", m, len(data))
			}
		}
	})
}
