package pysrc

import (
	"fmt"
	"strings"
	"testing"
)

func TestPosition(t *testing.T) {
	for _, c := range []struct {
		src, find, want string
	}{
		{"a\nb\nc", "c", "3:1"},
		{"a\r\nbb\r\n  c", "c", "3:3"},
		{"a\rb\rc", "c", "3:1"},
		{"é = 'ü' + x", "x", "1:11"},
		{"\xef\xbb\xbfx = 1", "x", "1:1"},
		{"😀\n😀x", "x", "2:2"},
	} {
		f := Parse("", []byte(c.src))
		at := int32(strings.LastIndex(c.src, c.find))
		if got := f.Position(at).String(); got != c.want {
			t.Errorf("%q in %q is at %s, want %s", c.find, c.src, got, c.want)
		}
	}
	f := Parse("", []byte("\xef\xbb\xbfab\n"))
	for offset, want := range map[int32]string{0: "1:1", 3: "1:1", 4: "1:2", 6: "2:1", 100: "2:1", -1: "1:1"} {
		if got := f.Position(offset).String(); got != want {
			t.Errorf("offset %d is at %s, want %s", offset, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	f := Parse("", []byte("a\r\n  b  \n\nc"))
	for line, want := range map[int]string{0: "", 1: "a", 2: "  b  ", 3: "", 4: "c", 5: ""} {
		if got := f.Line(line); got != want {
			t.Errorf("line %d is %q, want %q", line, got, want)
		}
	}
}

func TestComments(t *testing.T) {
	f := Parse("", []byte("# one\nx = [  # two\n  '# not',\n  # three\r\n]\nif x: # four\n    pass\n"))
	var got []string
	for _, c := range f.Comments {
		got = append(got, f.Text(c))
	}
	if want := "[# one # two # three # four]"; fmt.Sprint(got) != want {
		t.Errorf("comments %v, want %s", got, want)
	}
	if inside := f.Commented(f.Module.Body[0].Bounds()); len(inside) != 2 {
		t.Errorf("%d comments in the list, want 2", len(inside))
	}
}

// TestCommentsAfterRecovery sees that going back does not double comments.
func TestCommentsAfterRecovery(t *testing.T) {
	f := Parse("", []byte("x = (  # one\ny = 1  # two\nz = 2  # three\n"))
	if len(f.Comments) != 3 {
		t.Errorf("%d comments, want 3", len(f.Comments))
	}
}

// TestParallel parses the same bytes at the same time, for the race detector.
func TestParallel(t *testing.T) {
	src := []byte("def f(x):\n    return [x.y(z=1) for x in range(10)]\nx = = 1\n")
	want := string(dump(Parse("", src), 14))
	for range 8 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for range 100 {
				if got := string(dump(Parse("", src), 14)); got != want {
					t.Fatal("another tree")
				}
			}
		})
	}
}
