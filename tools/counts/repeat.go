package main

import (
	"fmt"
	"strings"
)

// repeatLines is how many equal lines make a repetition.
const repeatLines = 6

// line is one that says something: no blank line, comment, lone bracket or import.
type line struct {
	path   string
	number int
	text   string
}

// significant are the lines of a file that say something. Generated files have none.
func significant(path, text string) (list []line) {
	imports := false
	for i, t := range strings.Split(text, "\n") {
		t = strings.TrimSpace(t)
		switch {
		case strings.HasPrefix(t, "// Code generated"):
			return nil
		case t == "import (":
			imports = true
		case imports:
			imports = t != ")"
		case len(t) > 2 && !strings.HasPrefix(t, "//") && !strings.HasPrefix(t, "import ") && !strings.HasPrefix(t, "package "):
			list = append(list, line{path, i + 1, t})
		}
	}
	return list
}

// repeats names the places whose lines stand, word for word, in an earlier place too. A longer run counts once.
func repeats(files [][]line) (places []string) {
	type at struct{ file, i int }
	seen := map[string]at{}
	for f, list := range files {
		for i := 0; i+repeatLines <= len(list); i++ {
			var key strings.Builder
			for _, l := range list[i : i+repeatLines] {
				key.WriteString(l.text + "\n")
			}
			first, known := seen[key.String()]
			if !known {
				seen[key.String()] = at{f, i}
				continue
			}
			other, n := files[first.file], repeatLines
			for i+n < len(list) && first.i+n < len(other) && list[i+n].text == other[first.i+n].text {
				n++
			}
			places = append(places, fmt.Sprintf("%s:%d: %d lines as in %s:%d", list[i].path, list[i].number, n,
				other[first.i].path, other[first.i].number))
			i += n - 1
		}
	}
	return places
}
