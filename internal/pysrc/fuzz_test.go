package pysrc

import (
	"os"
	"path/filepath"
	"testing"
)

// addSeeds gives the fuzzer the files of testdata/trees and sources that are
// broken in every way the parser knows.
func addSeeds(f *testing.F) {
	paths, _ := filepath.Glob("testdata/trees/*.py")
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	for _, c := range brokenSources {
		f.Add([]byte(c.src))
	}
}

// FuzzTokens checks that tokens are in order, inside the source, and that
// nothing but blanks and comments lies between them.
func FuzzTokens(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		tokens, comments, errors := allTokens(src)
		if len(tokens) == 0 {
			if len(errors) == 0 {
				t.Fatal("neither a token nor an error")
			}
			return
		}
		if last := tokens[len(tokens)-1]; last.Kind != tokEOF {
			t.Fatalf("the last token is %v", last)
		}
		size := int32(len(decode(src).text))
		depth := 0
		var at int32
		for _, tok := range tokens {
			if tok.Start < 0 || tok.End < tok.Start || tok.End > size {
				t.Fatalf("token %v is outside the source of %d bytes", tok, size)
			}
			if len(errors) == 0 && tok.Start < at {
				t.Fatalf("token %v starts before the end of the one before it", tok)
			}
			at = tok.End
			switch tok.Kind {
			case tokIndent:
				depth++
			case tokDedent:
				depth--
			case tokBad:
				if len(errors) == 0 {
					t.Fatal("a bad token without an error")
				}
			}
		}
		if depth != 0 {
			t.Fatalf("%d indents are not closed", depth)
		}
		for _, c := range comments {
			if c.Start >= c.End || c.End > size {
				t.Fatalf("comment %v", c)
			}
		}
	})
}

// FuzzParse checks that every node lies inside its parent, in order, that
// errors have places, and that broken source always has an error.
func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, src []byte) {
		file := Parse("fuzz.py", src)
		if file.Module == nil {
			t.Fatal("no module")
		}
		bad := checkSpans(t, file)
		if bad && len(file.Errors) == 0 {
			t.Fatal("a BadStmt without an error")
		}
		for i, e := range file.Errors {
			if e.Line < 1 || e.Line > len(file.LineStarts) || e.Column < 1 || e.Message == "" {
				t.Fatalf("error %+v of %d lines", e, len(file.LineStarts))
			}
			if i > 0 && e.Start < file.Errors[i-1].Start {
				t.Fatal("errors are not in order")
			}
			file.Line(e.Line)
		}
		if (file.Err() == nil) != (len(file.Errors) == 0) {
			t.Fatal("Err and Errors disagree")
		}
		dump(file, 14)
	})
}

// checkSpans walks the tree and reports whether it holds a BadStmt.
func checkSpans(t *testing.T, file *File) (bad bool) {
	InspectPath(file.Module, func(n Node, path []Node) bool {
		if _, ok := n.(*BadStmt); ok {
			bad = true
		}
		s := n.Bounds()
		if s.Start < 0 || s.End < s.Start || int(s.End) > len(file.Src) {
			t.Fatalf("%T %v is outside the source of %d bytes", n, s, len(file.Src))
		}
		if len(path) == 0 {
			return true
		}
		parent := path[len(path)-1]
		around := parent.Bounds()
		switch p := parent.(type) {
		case *FunctionDef: // decorators come before it
			if len(p.Decorators) > 0 {
				around.Start = 0
			}
		case *ClassDef:
			if len(p.Decorators) > 0 {
				around.Start = 0
			}
		}
		if s.Start < around.Start || s.End > around.End {
			t.Fatalf("%T %v %q is outside its parent %T %v", n, s, file.Text(n), parent, around)
		}
		return true
	})
	return bad
}
