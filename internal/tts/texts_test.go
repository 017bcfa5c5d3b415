package tts

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func read(t *testing.T, name, content string, opt TextOptions) (Texts, error) {
	t.Helper()
	return ReadTexts(name, strings.NewReader(content), opt)
}

// shown is texts in one line each, as a test reads them.
func shown(t Texts) string {
	var b strings.Builder
	for _, i := range t.Items {
		fmt.Fprintf(&b, "%s: %s", i.Place, i.Text)
		for _, c := range i.Columns {
			fmt.Fprintf(&b, " %s=%s", c.Name, c.Value)
		}
		b.WriteString("\n")
	}
	for _, r := range t.Rejected {
		fmt.Fprintf(&b, "%s rejected: %s\n", r.Place, r.Reason)
	}
	return b.String()
}

func TestReadTexts(t *testing.T) {
	for _, tt := range []struct {
		name, content string
		opt           TextOptions
		want          string
	}{
		{"a.txt", "one\n\n  two  \r\n-three", TextOptions{}, "line 1: one\nline 3: two\nline 4: -three\n"},
		{"a.txt", "\xEF\xBB\xBFone\nzw\x00ei\x1b[2J\n", TextOptions{}, "line 1: one\nline 2: zw ei [2J\n"},
		{"a.txt", "日本語のテキスト\nالعربية\n", TextOptions{}, "line 1: 日本語のテキスト\nline 2: العربية\n"},
		{"a.txt", "good\nb\xffd\n", TextOptions{}, "line 1: good\nline 2 rejected: the text is not valid UTF-8; convert the file, for example with iconv\n"},
		{"a.txt", strings.Repeat("x", 10000) + "\nok\n", TextOptions{MaxChars: 100}, "line 2: ok\nline 1 rejected: the text has 10000 characters; the limit is 100 (--max-chars)\n"},
		{"a.csv", "id,Sentence,speaker\n1,\"Hello, \"\"you\"\"\",anna\n2,\"two\nlines\",ben\n", TextOptions{}, "line 2: Hello, \"you\" id=\"1\" speaker=\"anna\"\nline 3: two lines id=\"2\" speaker=\"ben\"\n"},
		{"a.csv", "x,y\na\n", TextOptions{Column: "y"}, "line 2 rejected: the row has 1 cells; the text is in cell 2\n"},
		{"a.tsv", "path\tsentence\nx.mp3\tHe said \"no\".\n", TextOptions{}, "line 2: He said \"no\". path=\"x.mp3\"\n"},
		{"a.jsonl", "{\"id\": 7, \"text\": \"hi\", \"tags\": [1, 2]}\n\n\"bare\"\n{\"text\": 5}\n", TextOptions{}, "line 1: hi id=7 tags=[1, 2]\nline 3: bare\nline 4 rejected: the value of text is not a string\n"},
		{"a.json", `[{"transcription": "a", "file_name": "x.wav"}, "b"]`, TextOptions{}, "entry 1: a file_name=\"x.wav\"\nentry 2: b\n"},
		{"a.json", `{"rows": [{"row_idx": 0, "row": {"text": "wrapped", "n": 1}}]}`, TextOptions{Column: "text"}, "entry 1: wrapped n=1\n"},
		{"a.json", `{"data": ["a"]}`, TextOptions{}, "entry 1: a\n"},
	} {
		got, err := read(t, tt.name, tt.content, tt.opt)
		if err != nil || shown(got) != tt.want {
			t.Errorf("%s %.60q: %v\n%swant\n%s", tt.name, tt.content, err, shown(got), tt.want)
		}
	}
}

func TestReadTextsComplains(t *testing.T) {
	for _, tt := range [][3]string{
		{"a.txt", "", "has no texts"},
		{"a.txt", "\n \n\t\n", "has no texts"},
		{"a.csv", "", "it is empty"},
		{"a.csv", "a,b\n1,2\n", "the columns are a, b: choose one with --text-column"},
		{"a.csv", "text\n\"open\n", "the quote opened in line 2 is not closed"},
		{"a.jsonl", "{\"text\": \"a\"}\n{broken\n", "line 2 is neither"},
		{"a.jsonl", "{\"words\": \"a\"}\n", "line 1: no column text"},
		{"a.json", "{}", "without an array"},
		{"a.json", "[", "not a JSON array"},
		{"a.json", "[3]", "entry 1 is neither"},
	} {
		_, err := read(t, tt[0], tt[1], TextOptions{})
		if err == nil || !strings.Contains(err.Error(), tt[2]) || !strings.Contains(err.Error(), tt[0]) {
			t.Errorf("%s %q: %v, want %q", tt[0], tt[1], err, tt[2])
		}
	}
}

func FuzzReadTexts(f *testing.F) {
	for i, content := range []string{
		"one\ntwo\n", "text,a\nx,1\n", "text\ta\nx\t1\n", "{\"text\": \"a\", \"b\": {}}\n", "[{\"text\": \"a\"}, \"b\"]", "{\"data\": [{\"row\": {\"text\": \"q\"}}]}", "\xff\xfe",
	} {
		f.Add(byte(i), content)
	}
	f.Fuzz(func(t *testing.T, kind byte, content string) {
		name := []string{"a.txt", "a.csv", "a.tsv", "a.jsonl", "a.json"}[int(kind)%5]
		texts, err := ReadTexts(name, strings.NewReader(content), TextOptions{MaxChars: 50})
		if err != nil {
			return
		}
		for _, i := range texts.Items {
			if i.Text == "" || !utf8.ValidString(i.Text) || strings.ContainsFunc(i.Text, unicode.IsControl) || utf8.RuneCountInString(i.Text) > 50 {
				t.Errorf("%q would be spoken", i.Text)
			}
			if _, err := orderedJSON([]field{{"text", i.Text}}); err != nil {
				t.Error(err)
			}
			for _, c := range i.Columns {
				if _, err := orderedJSON([]field{{c.Name, c.Value}}); err != nil {
					t.Errorf("column %q cannot be written: %v", c.Name, err)
				}
			}
		}
	})
}
