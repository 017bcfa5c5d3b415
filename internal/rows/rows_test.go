package rows

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// shown is a list of rows on one line.
func shown(ending, text string) string {
	var b strings.Builder
	err := Read(ending, strings.NewReader(text), func(r Row) error {
		fmt.Fprintf(&b, "[%s", r.Place)
		if r.Names == nil {
			fmt.Fprintf(&b, " %q %t", r.Text, r.Damaged)
		}
		for i, c := range r.Cells {
			fmt.Fprintf(&b, " %s=%q/%d %s", r.Names[i], c.Text, c.Kind, c.JSON())
		}
		b.WriteString("]")
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v", err)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ ending, text, want string }{
		{".csv", "a,b\n1,\"x,y\"\n007\n1,2,,\n", `[line 2 a="1"/0 "1" b="x,y"/0 "x,y"][line 3 a="007"/0 "007"][line 4 a="1"/0 "1" b="2"/0 "2"]`},
		{".CSV", "\xEF\xBB\xBFa\nz\n", `[line 2 a="z"/0 "z"]`},
		{".tsv", "a\tb\nsay \"hi\"\t2\n", `[line 2 a="say \"hi\""/0 "say \"hi\"" b="2"/0 "2"]`},
		{".csv", "a,a,a_2\n1,2,3\n", `[line 2 a="1"/0 "1" a_2="2"/0 "2" a_2_2="3"/0 "3"]`},
		{".csv", "", "error: it is empty"},
		{".csv", "a,b\n\n1,Hello, world\n", "error: line 3 has 3 cells, but the header has 2; quote texts that contain a comma"},
		{".csv", "a,b\n1,say \"hi\"\n2,\"one\n\n\"\"two\"\"\"\r\n3,\"\"\n", `[line 2 a="1"/0 "1" b="say \"hi\""/0 "say \"hi\""]` +
			`[line 3 a="2"/0 "2" b="one\n\n\"two\""/0 "one\n\n\"two\""][line 6 a="3"/0 "3" b=""/0 ""]`},
		{".csv", "a,b\n1,\"x\n2,y\n", "error: the quote opened in line 2 is not closed"},
		{".csv", "a,b\n1,\"x\ny\" z\n", "error: line 3 has a quote inside a quoted cell; double it"},
		// Tables with tabs are rarely quoted, and sentences begin with quotes.
		{".tsv", "a\tb\n\"Hello,\" she said\t1\n\"open\t2\n\"whole\"\t\n", `[line 2 a="\"Hello,\" she said"/0 "\"Hello,\" she said" b="1"/0 "1"]` +
			`[line 3 a="\"open"/0 "\"open" b="2"/0 "2"][line 4 a="\"whole\""/0 "\"whole\"" b=""/0 ""]`},
		{".tsv", "a\tb\n\"say \"\"hi\"\"\"\t\"1\t2\"\n\"x\ty\"\t\n", `[line 2 a="say \"hi\""/0 "say \"hi\"" b="1\t2"/0 "1\t2"][line 3 a="x\ty"/0 "x\ty" b=""/0 ""]`},
		{".tsv", "\"a\"\t\"b\"\n\"x\"\t\"\"\n", `[line 2 a="x"/0 "x" b=""/0 ""]`},
		{".csv", "a;b\n1;\"x;y\"\n", `[line 2 a="1"/0 "1" b="x;y"/0 "x;y"]`},
		{".csv", "a\tb\n1\t2,5\n", `[line 2 a="1"/0 "1" b="2,5"/0 "2,5"]`},
		{".csv", "1|say \"hi\n\n2|b|c|d\n", `[line 1 path="1"/0 "1" text="say \"hi"/0 "say \"hi"][line 3 path="2"/0 "2" text="b"/0 "b" normalized_text="c|d"/0 "c|d"]`},
		{".csv", "audio_file|text\n1.wav|a, b\n", `[line 2 audio_file="1.wav"/0 "1.wav" text="a, b"/0 "a, b"]`},
		{".jsonl", "{\"b\": 1.50, \"a\": \"x\", \"c\": null, \"d\": {\"e\": 1}}\n\n\"p\"\n", `[line 1 b="1.50"/1 1.50 a="x"/0 "x" c=""/2 null d="{\"e\": 1}"/2 {"e": 1}][line 3 "p" false]`},
		{".jsonl", "{\"a\": \"\xff\"}\n", `[line 1 "{\"a\": \"\xff\"}" true]`},
		{".jsonl", "[1]\n", "error: line 1 is neither a JSON object nor a string: it starts with [1]"},
		{".json", `[{"a": true}, "b"]`, `[entry 1 a="true"/2 true][entry 2 "b" false]`},
		{".json", `{"n": 1, "rows": [{"row_idx": 0, "row": {"a": "x"}}]}`, `[entry 1 a="x"/0 "x"]`},
		{".json", "{\"a\": 1}\n{\"a\": 2}\n", `[line 1 a="1"/1 1][line 2 a="2"/1 2]`},
		{".json", "[1", "error: it is not a JSON array: unexpected end of JSON input"},
		{".json", `{"other": []}`, "error: it is a JSON object without an array named data, rows, items, entries or samples"},
	} {
		if got := shown(tt.ending, tt.text); got != tt.want {
			t.Errorf("%s %q\n got %s\nwant %s", tt.ending, tt.text, got, tt.want)
		}
	}
}

// What a column is called tells from what stands in it, in the first lines together: one word may be a text, but not in
// every line.
func TestBarNames(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"1|Hello|Hello\n2|It was 5|It was five\n", "path text normalized_text"},
		{"1.wav|p225|Hello there\n2.wav|p226|It was five\n", "path speaker text"},
		{"1.wav|Yes|yes indeed\n2.wav|It was 5|it was five\n", "path text normalized_text"},
		{"1.wav|0|你好\n2.wav|3|再见\n", "path speaker text"},
		{"1.wav|anna|你好\n", "path speaker text"},
		{"1.wav|hɛloʊ ðɛɹ|0\n2.wav|faɪv|12\n", "path text speaker"},
		{"1.wav|anna|EN|Hello there\n", "path speaker language text"},
		{"1|anna|{HH AH0}|Hello there\n", "path text normalized_text"},
		{"1|Hello\n", "path text"},
	} {
		err := Read(".csv", strings.NewReader(tt.text), func(r Row) error {
			if got := strings.Join(r.Names, " "); got != tt.want {
				t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
	}
}

func TestBeside(t *testing.T) {
	others := []string{"text", "input_text", "input_input_text", "voice", "mine"}
	for name, want := range map[string]string{"text": "input_input_input_text", "voice": "input_voice", "input_text": "input_text", "mine": "mine"} {
		if got := Beside(name, []string{"text", "voice"}, others); got != want {
			t.Errorf("%s is kept as %s, want %s", name, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for i, text := range []string{"a,b\n1,\"x\"\n", "a\tb\n1\t2\n", "{\"a\": 1}\n\"b\"\n", `{"data": [{"row": {"a": [1, null]}}]}`, "\xff{"} {
		f.Add(byte(i), text)
	}
	f.Add(byte(0), "a|b|c\n|\n")
	f.Fuzz(func(t *testing.T, kind byte, text string) {
		_ = Read([]string{".csv", ".tsv", ".jsonl", ".json"}[int(kind)%4], strings.NewReader(text), func(r Row) error {
			if len(r.Cells) > len(r.Names) {
				t.Fatalf("%d cells for %d names", len(r.Cells), len(r.Names))
			}
			for _, c := range r.Cells {
				if !json.Valid(c.JSON()) {
					t.Fatalf("%q is no JSON", c.JSON())
				}
			}
			return nil
		})
	})
}
