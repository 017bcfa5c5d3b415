package pysrc

import (
	"strings"
	"testing"
)

// TestEncodings reads x = "é" as each encoding writes it.
func TestEncodings(t *testing.T) {
	for _, c := range []struct {
		name, src, encoding, value, error string
	}{
		{"plain", "x = 'é'\n", "utf-8", "é", ""},
		{"byte order mark", "\xef\xbb\xbfx = 'é'\n", "utf-8", "é", ""},
		{"mark and cookie", "\xef\xbb\xbf# coding: utf-8\nx = 'é'\n", "utf-8", "é", ""},
		{"mark and another cookie", "\xef\xbb\xbf# coding: latin-1\nx = 'é'\n", "utf-8", "é", "1:11: encoding problem: latin-1 with BOM"},
		{"utf-8 cookie", "# -*- coding: UTF_8 -*-\nx = 'é'\n", "utf-8", "é", ""},
		{"latin-1", "# -*- coding: latin-1 -*-\nx = '\xe9'\n", "latin-1", "é", ""},
		{"second line", "#!/usr/bin/python\n# vim: set fileencoding=iso-8859-15 :\nx = '\xa4'\n", "iso-8859-15", "€", ""},
		{"third line", "#\n#\n# coding: latin-1\nx = 'é'\n", "utf-8", "é", ""},
		{"after code", "pass\n# coding: latin-1\nx = 'é'\n", "utf-8", "é", ""},
		{"cp1252", "# coding=cp1252\nx = '\x80'\n", "cp1252", "€", ""},
		{"windows-1251", "# coding: windows-1251\nx = '\xff'\n", "windows-1251", "я", ""},
		{"koi8-r", "# coding: koi8_r\r\nx = '\xd1'\r\n", "koi8_r", "я", ""},
		{"ascii", "# coding: ascii\nx = 'e'\n", "ascii", "e", ""},
		{"not ascii", "# coding: ascii\nx = '\xe9'\n", "ascii", "é", "2:6: 'ascii' codec can't decode byte 0xe9 in position 21"},
		{"undefined byte", "# coding: cp1252\nx = '\x81'\n", "cp1252", "\uFFFD", "2:6: 'cp1252' codec can't decode byte 0x81 in position 22"},
		{"unknown", "# coding: nonsense\nx = 'a'\n", "nonsense", "a", "1:11: unknown encoding: nonsense"},
		{"invalid", "x = 'a\xe9b'\n", "utf-8", "a?b", "1:7: 'utf-8' codec can't decode byte 0xe9 in position 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Parse("x.py", []byte(c.src))
			if f.Encoding != c.encoding {
				t.Errorf("encoding %q, want %q", f.Encoding, c.encoding)
			}
			got := ""
			if err := f.Err(); err != nil {
				got = err.Error()
			}
			if got != c.error {
				t.Errorf("error %q, want %q", got, c.error)
			}
			last := f.Module.Body[len(f.Module.Body)-1].(*Assign)
			if value, _ := StringValue(last.Value); value != c.value {
				t.Errorf("value %q, want %q", value, c.value)
			}
			if place := f.Position(last.Targets[0].Bounds().Start); place.Column != 1 {
				t.Errorf("x is at %v", place)
			}
		})
	}
}

func TestNoText(t *testing.T) {
	for _, src := range []string{"\x7fELF\x02\x01\x01\x00\x00", "a = 1\nb = '\x00'\n", "\xff\xfea\x00=\x001\x00"} {
		f := Parse("x.py", []byte(src))
		if err := f.Err(); err == nil || !strings.Contains(err.Message, "null bytes") || len(f.Errors) != 1 {
			t.Errorf("%q: errors %v", src, f.Errors)
		}
		if f.Module == nil || len(f.Module.Body) != 0 {
			t.Errorf("%q: a body", src)
		}
	}
}

func TestEmpty(t *testing.T) {
	for _, src := range []string{"", "\n", "# only a comment", "\xef\xbb\xbf", "\f\n  \t\n", "\r\r\n"} {
		f := Parse("x.py", []byte(src))
		if len(f.Errors) != 0 || len(f.Module.Body) != 0 {
			t.Errorf("%q: %d statements, errors %v", src, len(f.Module.Body), f.Errors)
		}
	}
}
