// Package reporttest checks what renderers write: against golden files, and for anything that could do harm.
package reporttest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/human"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares an output with a file of testdata; -update writes the file anew.
func Golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update and read the change\n%s", path, diff)
	}
}

// Harmless reports whether an output may be shown: valid UTF-8, nothing that steers a terminal, no live markup.
func Harmless(t *testing.T, format string, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Errorf("%s: not valid UTF-8", format)
	}
	if at := bytes.IndexFunc(out, human.Hidden); at >= 0 {
		t.Errorf("%s: control character in %q", format, out[max(at-20, 0):min(at+20, len(out))])
	}
	switch format {
	case "json":
		if !json.Valid(out) {
			t.Errorf("invalid JSON: %.200s", out)
		}
	case "html":
		Page(t, out)
	case "markdown":
		if n := utf8.RuneCount(out); n > 65536 {
			t.Errorf("markdown: %d characters", n)
		}
		// What stands outside code must not be markup, except for the few tags that the renderer writes.
		text := regexp.MustCompile("(?s)(`+)[^`].*?[^`]?(`+)").ReplaceAllString(outsideFences(string(out)), "")
		for _, tag := range regexp.MustCompile(`<[^>]*>`).FindAllString(text, -1) {
			switch tag {
			case "<details>", "</details>", "<summary>", "</summary>", "<br>", "<!-- -->":
			default:
				t.Errorf("markdown: live tag %q", tag)
			}
		}
	}
}

// outsideFences drops fenced code.
func outsideFences(s string) string {
	var kept []string
	fence := ""
	for l := range strings.SplitSeq(s, "\n") {
		trimmed := strings.TrimSpace(l)
		ticks := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3 && !strings.Contains(trimmed[len(ticks):], "`"):
			fence = ticks
		case fence != "" && trimmed == fence:
			fence = ""
		case fence == "":
			kept = append(kept, l)
		}
	}
	return strings.Join(kept, "\n")
}

// Page reads the page as strictly as XML allows for HTML: every element closed, nothing that runs or loads.
func Page(t *testing.T, out []byte) {
	t.Helper()
	if len(out) > 1<<20 {
		t.Errorf("html: %d bytes", len(out))
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(out, []byte("<!doctype html>\n"))))
	d.Entity = xml.HTMLEntity
	headings, scripts := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("html: not well-formed: %v", err)
			return
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := element.Name.Local; name {
		case "script":
			if !allowedScript(d, out) {
				t.Errorf("html: a script that the page's policy does not allow")
			}
			if scripts++; scripts > 1 {
				t.Errorf("html: %d scripts", scripts)
			}
		case "iframe", "object", "embed", "link", "base", "form", "img", "foreignObject", "use", "image", "a":
			t.Errorf("html: element %s", name)
		case "h1":
			headings++
		}
		for _, a := range element.Attr {
			name := strings.ToLower(a.Name.Local)
			if strings.HasPrefix(name, "on") || name == "src" || name == "href" || name == "srcset" || name == "action" {
				t.Errorf("html: attribute %s=%q", name, a.Value)
			}
		}
	}
	if headings != 1 {
		t.Errorf("html: %d h1", headings)
	}
	_, style, _ := strings.Cut(string(out), "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	for _, outside := range []string{"url(", "@import", "http:", "https:", "//"} {
		if strings.Contains(style, outside) {
			t.Errorf("html: the style sheet holds %q", outside)
		}
	}
}

// allowedScript is whether the page's policy has the hash of the script that d has come to.
func allowedScript(d *xml.Decoder, page []byte) bool {
	code, err := d.Token()
	text, ok := code.(xml.CharData)
	sum := sha256.Sum256(text)
	hash := html.EscapeString("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
	return err == nil && ok && bytes.Contains(page, []byte("script-src "+strings.ReplaceAll(hash, "+", "&#43;")))
}
