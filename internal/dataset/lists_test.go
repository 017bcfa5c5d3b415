package dataset

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// The forms in which datasets are handed around: where their audio lies beside the list, and what of it is a column.
func TestDataSets(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) { write(t, filepath.Join(dir, name), []byte(text)) }
	for _, name := range []string{
		"cv/clips/1.mp3", "cv/2.mp3", "cv/clips/2.mp3", "lj/wavs/LJ001-0001.wav", "lj/wavs/LJ001-0002.flac", "kaldi/wav/1.wav", "kaldi/data/train/here.wav",
		"nemo/1.wav", "hf/train/1.wav", "hf/train/2.wav", "hf/test/1.wav", "hf/0.mka", "other/1.wav",
	} {
		put(name, "x")
	}
	put("cv/train.tsv", "client_id\tpath\tsentence\na\t1.mp3\thello\nb\t2.mp3\tbeside the list\nc\t3.mp3\tnowhere\n")
	put("lj/metadata.csv", "LJ001-0001|Printing, in \"1455\"|Printing, in \"fourteen fifty-five\"\nLJ001-0002.flac|two\n\nLJ001-0003|three|three\n")
	put("kaldi/data/train/wav.scp", "u1 kaldi/wav/1.wav\nu2 here.wav\n")
	put("nemo/parts.jsonl", `{"audio_filepath": "1.wav", "duration": 0.5, "text": "a"}`+"\n"+`{"audio_filepath": "1.wav", "duration": 2, "offset": 1}`+"\n"+
		`{"audio_filepath": "1.wav"}`+"\n"+`{"audio_filepath": "1.wav", "duration": "long"}`+"\n")
	put("nemo/whole.jsonl", `{"audio_filepath": "1.wav", "duration": 0.5}`+"\n"+`{"audio_filepath": "1.wav", "duration": "long"}`+"\n")
	put("list.txt", "nemo/1.wav\n\n"+filepath.Join(dir, "hf/0.mka")+"\r\nnone.wav\n")
	put("kaldi/data/train/text.txt", "u1 hello\n")
	put("notes.txt", "read me\nor not\n")
	put("hf/metadata.csv", "file_name,transcription\ntrain/2.wav,\"two, too\"\ntrain/9.wav,gone\n")
	put("hf/test/metadata.jsonl", `{"file_name": "1.wav", "transcription": "tested", "offset": 1}`+"\n"+`{"file_name": "1.wav", "transcription": "again", "offset": 2}`+"\n")
	put("other/metadata.csv", "a,b\n1,2\n")
	put("table/train-00000.parquet", "PAR1")
	for _, tt := range []struct{ arg, want, note string }{
		{"cv/train.tsv", "cv/clips/1.mp3 client_id=a sentence=hello\ncv/2.mp3 client_id=b sentence=beside the list\n" +
			"cv/3.mp3 client_id=c sentence=nowhere (cannot be read: no such file or directory)\n", ""},
		{"lj/metadata.csv", "lj/wavs/LJ001-0001.wav text=Printing, in \"1455\" normalized_text=Printing, in \"fourteen fifty-five\"\nlj/wavs/LJ001-0002.flac text=two\n" +
			"lj/LJ001-0003.wav text=three normalized_text=three (cannot be read: no such file or directory)\n", ""},
		{
			"lj", "lj/wavs/LJ001-0001.wav text=Printing, in \"1455\" normalized_text=Printing, in \"fourteen fifty-five\"\nlj/wavs/LJ001-0002.flac text=two\n",
			"lj/metadata.csv lists 1 file that do not exist in the folder, the first in line 4",
		},
		{"kaldi/data/train/wav.scp", "kaldi/wav/1.wav id=u1\nkaldi/data/train/here.wav id=u2\n", ""},
		{"nemo/parts.jsonl", "nemo/1.wav [0+0.5] duration=0.5 text=a\nnemo/1.wav [1+2] duration=2 offset=1\nnemo/1.wav\n" +
			"nemo/1.wav [0+-1] duration=long (" + noSeconds + ")\n", ""},
		{"nemo/whole.jsonl", "nemo/1.wav duration=0.5\nnemo/1.wav duration=long\n", ""},
		{"list.txt", "nemo/1.wav\n" + filepath.Join(dir, "hf/0.mka") + "\nnone.wav (cannot be read: no such file or directory)\n", ""},
		{"k*/d*/train/*", "kaldi/data/train/here.wav\nkaldi/wav/1.wav id=u1\nkaldi/data/train/here.wav id=u2\n", ""},
		{
			"hf", "hf/0.mka\nhf/test/1.wav [1+0] transcription=tested offset=1\nhf/train/1.wav\nhf/train/2.wav transcription=two, too\n",
			"hf/metadata.csv lists 1 file that do not exist in the folder, the first in line 3\n" +
				"hf/test/metadata.jsonl lists files more than once; only the first row of each is used. Pass the list itself to use all rows",
		},
		{"other", "other/1.wav\n", "other/metadata.csv is beside the audio but cannot be read as a list: line 2: no column audio_filepath or"},
	} {
		l := find(t, dir, tt.arg)
		if got := describe(l); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.arg, got, tt.want)
		}
		if got := strings.Join(l.Notes, "\n"); !strings.HasPrefix(got, tt.note) || (got == "") != (tt.note == "") {
			t.Errorf("%s: noted\n%s\nwant\n%s", tt.arg, got, tt.note)
		}
		size := int64(0)
		for _, it := range l.Items {
			size += it.Size
		}
		if size != l.Bytes {
			t.Errorf("%s: %d bytes of %d", tt.arg, l.Bytes, size)
		}
	}
	for arg, want := range map[string]string{
		"table/*":                   "table/train-00000.parquet is a table with audio inside; mel reads audio files",
		"*otes.txt":                 "notes.txt: none of its lines is a file",
		"notes.txt":                 "notes.txt: none of its lines is a file; expected one path, or path|text, per line",
		"table":                     "table/train-00000.parquet is a table with audio inside; mel reads audio files",
		"table/train-00000.parquet": "table/train-00000.parquet is a table with audio inside; mel reads audio files",
	} {
		if _, err := Find(t.Context(), []string{arg}, FindOptions{Dir: dir}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// The lists of programs that train speech models: other names of columns, other separators, speakers, parts of
// recordings.
func TestListsOfSpeechPrograms(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) { write(t, filepath.Join(dir, name), []byte(text)) }
	for _, name := range []string{"a/1.wav", "a/2.wav", "piper/wav/1.wav", "piper/wav/2.wav", "k/r1.wav", "k/r2.wav"} {
		put(name, "x")
	}
	for _, name := range []string{"libri/84/1/84-1-0.flac", "libri/84/1/84-1-1.wav", "libri/84/2/84-2-0.flac"} {
		put(name, "x")
	}
	put("libri/84/1/84-1.trans.txt", "84-1-0 GO  ON\n84-1-1 AND ON\n")
	put("libri/84/2/84-2.trans.txt", "84-2-0 NO\n84-2-1 GONE\n")
	put("deepspeech.csv", "wav_filename,wav_filesize,transcript\na/1.wav,12,one\na/2,13,two\n")
	put("upper.csv", "Path,Sentence\na/1.wav,one\n")
	put("sheet.csv", "path;text\na/1.wav;one, two\n")
	put("windows.csv", "path,text\na\\1.wav,one\n")
	put("bare.csv", "a/1.wav,one\na/2.wav,two\n")
	put("two.csv", "noisy,clean\na/1.wav,a/2.wav\n")
	put("gone.csv", "path,text\nDUMMY/1.wav,one\nDUMMY/2.wav,two\n")
	put("vits.txt", "a/1.wav|0|one word\na/2.wav|1|two words\n")
	put("tacotron.txt", "a/1|one word\na/2|two words\n")
	put("sovits.list", "a/1.wav|anna|EN|one word\n")
	put("coqui.csv", "audio_file|text|speaker_name\na/1.wav|one, \"word|anna\n")
	put("piper/metadata.csv", "1|anna|one word\n2|ben|two words\n")
	put("parts.jsonl", `{"audio": {"path": "a/1.wav", "start_time": 0.2, "end_time": 0.7}, "duration": 9, "sentence": "one"}`+"\n"+
		`{"audio": {"path": "a/2.wav"}, "duration": 3}`+"\n"+`{"audio": {"path": "a/2.wav", "start_time": 2, "end_time": 1}}`+"\n")
	put("bytes.jsonl", `{"audio": {"bytes": "UklGRg==", "path": null}, "text": "one"}`+"\n")
	put("k/whole/wav.scp", "r1 k/r1.wav\nr2 k/r2.wav\n")
	put("k/whole/text", "r1 one  word\nr2\n")
	put("k/whole/utt2spk", "r1 anna\nr2 ben\n")
	put("k/cut/wav.scp", "r1 k/r1.wav\nr2 cat x |\n")
	put("k/cut/segments", "u1 r1 0.0 0.5\nu2 r1 0.5 1.1\nu3 r1 2 -1\nu4 r2 0 1\n")
	put("k/cut/text", "u1 one\nu2 two\n")
	put("k/odd/wav.scp", "r1 k/r1.wav\n")
	put("k/odd/segments", "u1 r7 0.0 0.5\n")
	for arg, want := range map[string]string{
		"libri":                     "libri/84/1/84-1-0.flac text=GO  ON\nlibri/84/1/84-1-1.wav text=AND ON\nlibri/84/2/84-2-0.flac text=NO\n",
		"libri/84/1/84-1.trans.txt": "libri/84/1/84-1-0.flac text=GO  ON\nlibri/84/1/84-1-1.wav text=AND ON\n",
		"deepspeech.csv":            "a/1.wav wav_filesize=12 transcript=one\na/2 wav_filesize=13 transcript=two (cannot be read: no such file or directory)\n",
		"upper.csv":                 "a/1.wav Sentence=one\n",
		"sheet.csv":                 "a/1.wav text=one, two\n",
		"windows.csv":               "a/1.wav text=one\n",
		"vits.txt":                  "a/1.wav speaker=0 text=one word\na/2.wav speaker=1 text=two words\n",
		"tacotron.txt":              "a/1.wav text=one word\na/2.wav text=two words\n",
		"sovits.list":               "a/1.wav speaker=anna language=EN text=one word\n",
		"coqui.csv":                 "a/1.wav text=one, \"word speaker_name=anna\n",
		"piper":                     "piper/wav/1.wav speaker=anna text=one word\npiper/wav/2.wav speaker=ben text=two words\n",
		"parts.jsonl": "a/1.wav [0.2+0.5] duration=0.5 sentence=one offset=0.2\na/2.wav [0+3] duration=3\n" +
			"a/2.wav [2+-1] duration=-1 offset=2 (" + noSeconds + ")\n",
		"bytes.jsonl": "bytes.jsonl line 1 text=one (its audio object has no 'path'; if the list contains the audio itself, " +
			"write it to files first: see docs/mel.md)\n",
		"k/whole": "k/r1.wav id=r1 text=one  word speaker=anna\nk/r2.wav id=r2 speaker=ben\n",
		"k/cut/wav.scp": "k/r1.wav [0+0.5] id=u1 recording=r1 offset=0.0 duration=0.5 text=one\nk/r1.wav [0.5+0.6] id=u2 recording=r1 offset=0.5 duration=0.6 text=two\n" +
			"k/r1.wav [2+0] id=u3 recording=r1 offset=2\nk/cut/wav.scp line 2 [0+1] id=u4 recording=r2 offset=0 duration=1 " +
			"(\"cat x |\" is a command, and mel does not run commands from lists; write its output to a file)\n",
	} {
		if got := describe(find(t, dir, arg)); got != want {
			t.Errorf("%s:\n%swant\n%s", arg, got, want)
		}
	}
	for arg, want := range map[string]string{
		"bare.csv": "bare.csv: line 2: its first line is audio, not column names; add a header such as path,text",
		"two.csv":  "two.csv: line 2: no column audio_filepath or",
		"gone.csv": "gone.csv: none of its files exists, the first is DUMMY/1.wav; paths are relative to the list's folder",
		"k/odd":    "k/odd/wav.scp: segments beside it: line 1: k/odd/wav.scp has no recording r7",
	} {
		if _, err := Find(t.Context(), []string{arg}, FindOptions{Dir: dir}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

// A check reads the parts of files that the build read: in rows without an offset, beside offsets that are no numbers,
// and not in archives, whose columns choose nothing.
func TestCheckOfParts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.wav"), wav(t, 16000, 1, voice(16000, 1)))
	write(t, filepath.Join(dir, "odd.csv"), []byte("path,offset,duration\na.wav,0.5,0.25\na.wav,soon,1\na.wav,,0.5\n"))
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, data := range map[string][]byte{"1.json": []byte(`{"offset": 0.5, "duration": 0.1}`), "1.wav": wav(t, 16000, 1, voice(16000, 2))} {
		w.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: 0o644})
		w.Write(data)
	}
	w.Close()
	write(t, filepath.Join(dir, "caf\xe9.tar"), archive.Bytes()) // a name in Latin-1
	for _, to := range FormatNames() {
		for arg, want := range map[string]struct {
			seconds float64
			equal   int
		}{"odd.csv": {0.75, 2}, "caf\xe9.tar": {1, 1}} {
			o := small(t, dir, to)
			if r := build(t, find(t, dir, arg), o); r.AudioSeconds != want.seconds {
				t.Errorf("%s, %q: %g s", to, arg, r.AudioSeconds)
			}
			if c, err := Check(t.Context(), o.Output, Options{Dir: dir}, 0); err != nil || c.Equal != want.equal || len(c.Problems) > 0 || c.Skipped > 0 {
				t.Errorf("%s, %q: %v %+v", to, arg, err, c)
			}
		}
	}
}
