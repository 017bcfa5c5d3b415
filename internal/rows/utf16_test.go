package rows

import (
	"errors"
	"strings"
	"testing"
)

// TestUTF16: a list in UTF-16 is named as such, in every form.
func TestUTF16(t *testing.T) {
	little, big := "", ""
	for _, c := range "path,text\n1.wav,one\n" {
		little += string(c) + "\x00"
		big += "\x00" + string(c)
	}
	for _, ending := range []string{".csv", ".tsv", ".json", ".jsonl"} {
		for _, text := range []string{"\xff\xfe" + little, "\xfe\xff" + big, little, big} {
			if err := Read(ending, strings.NewReader(text), func(Row) error { return nil }); !errors.Is(err, errUTF16) {
				t.Errorf("%s, %q: %v", ending, text[:4], err)
			}
		}
		if err := Read(ending, strings.NewReader(`{"a": "1"}`+"\n"), func(Row) error { return nil }); errors.Is(err, errUTF16) {
			t.Errorf("%s: UTF-8 is taken for UTF-16", ending)
		}
	}
}
