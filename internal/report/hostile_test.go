package report

import (
	"bytes"
	"reflect"
	"regexp"
	"testing"

	"saturate/internal/human"
)

// evil sets a terminal's title, rings, hides what comes next and ends a workflow command.
const evil = "a\x1b]0;evil\x07\x9b8m\u202eb\r::error::x"

// spoil puts it into every string of a value.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(evil)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		} else if v.CanSet() && v.Type().Elem().Kind() == reflect.Struct {
			v.Set(reflect.New(v.Type().Elem()))
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() && v.Type().Elem().Kind() != reflect.Uint8 && v.Type().Elem().Kind() != reflect.Interface {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	}
}

// TestNothingSteersTheTerminal: whatever a project or a trace put into a report, its texts hold no control characters.
func TestNothingSteersTheTerminal(t *testing.T) {
	style := regexp.MustCompile("\x1b\\[[0-9;]*m")
	var r Report
	spoil(reflect.ValueOf(&r).Elem())
	r.Data = nil
	for i := range r.Findings {
		if w := r.Findings[i].Where; w != nil {
			w.Line, w.EndLine, w.Column, w.EndColumn = 1, 1, 1, 2
		}
	}
	for _, name := range []string{"text", "markdown", "github"} {
		for _, colour := range []bool{false, true} {
			r.Diff = nil
			if colour && name == "text" {
				r.Diff = []byte("--- a/" + evil + "\n+++ b/" + evil + "\n@@ -1 +1 @@\n-" + evil + "\n+x\n")
			}
			var b bytes.Buffer
			if err := Render(&b, r, name, Options{Width: 80, Style: Style{Color: colour}, Details: true}); err != nil {
				t.Fatal(err)
			}
			out := b.String()
			if colour {
				out = style.ReplaceAllString(out, "")
			}
			for i, c := range out {
				if human.Hidden(c) {
					t.Errorf("%s, colour %v: %q stands in it: %q", name, colour, c, out[max(0, i-80):min(len(out), i+20)])
					break
				}
			}
		}
	}
}
