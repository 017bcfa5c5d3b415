package dataset

import (
	"archive/tar"
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

// bad is why items of a list cannot be used, by the end of their path.
func bad(l *List) string {
	var all []string
	for i := range l.Items {
		all = append(all, l.Items[i].Path+": "+l.Items[i].Bad)
	}
	return strings.Join(all, "\n")
}

// TestOddLists: commands in a list of Kaldi's, transcripts in Latin-1 and an archive that is cut off are named as what
// they are.
func TestOddLists(t *testing.T) {
	dir := corpus(t, 3)
	write(t, filepath.Join(dir, "wav.scp"), []byte("a |touch ran\nb sox x|\nc 0000.wav\n"))
	if got := bad(find(t, dir, "wav.scp")); strings.Count(got, "is a command") != 2 {
		t.Errorf("commands in a list:\n%s", got)
	}
	write(t, filepath.Join(dir, "k", "0000.wav"), wav(t, 16000, 1, voice(1600, 1)))
	write(t, filepath.Join(dir, "k", "wav.scp"), []byte("a 0000.wav\n"))
	write(t, filepath.Join(dir, "k", "text"), []byte("a h\xe9llo\n"))
	if got := bad(find(t, dir, "k/wav.scp")); !strings.Contains(got, "UTF-8") {
		t.Errorf("a text in Latin-1:\n%s", got)
	}
	write(t, filepath.Join(dir, "l", "0000.wav"), wav(t, 16000, 1, voice(1600, 1)))
	write(t, filepath.Join(dir, "l", "x.trans.txt"), []byte("0000 hello\n0001 h\xe9llo\n"))
	if got := bad(find(t, dir, "l/x.trans.txt")); !strings.Contains(got, "UTF-8") {
		t.Errorf("a transcript in Latin-1:\n%s", got)
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	sound := wav(t, 16000, 1, voice(16000, 1))
	for _, name := range []string{"a.wav", "b.wav"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(sound)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(sound); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "cut.tar"), archive.Bytes()[:archive.Len()-2000])
	if got := bad(find(t, dir, "cut.tar")); !strings.Contains(got, "b.wav: the archive is cut off") || strings.Contains(got, "a.wav: the archive") {
		t.Errorf("an archive that is cut off:\n%s", got)
	}
}
