package cli

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestTraceWindows: an answer about a trace links to pictures of it, as SVG and as PNG.
func TestTraceWindows(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "traces", "starved.pt.trace.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, dir, "traces/a b.pt.trace.json.gz", string(data))
	c := newClient(t, dir, nil, nil)
	a := c.call("analyze", map[string]any{"trace": "traces/a b.pt.trace.json.gz"})
	if len(a.Links) != 1 || a.Links[0] != "tracefile://gap-1.svg/traces/a%20b.pt.trace.json.gz" {
		t.Fatalf("links %q", a.Links)
	}
	read := func(uri string) *sdk.ResourceContents {
		t.Helper()
		r, err := c.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		return r.Contents[0]
	}
	gap := read(a.Links[0])
	if gap.MIMEType != "image/svg+xml" || !strings.Contains(gap.Text, "waiting for data") || !strings.Contains(gap.Text, "GPU 0 stream 7") {
		t.Errorf("%s: %.300s", gap.MIMEType, gap.Text)
	}
	d := xml.NewDecoder(strings.NewReader(gap.Text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains("svg style rect text", start.Name.Local) {
			t.Errorf("element %s", start.Name.Local)
		}
	}
	for _, part := range []string{"all", "step-7", "100-250ms"} {
		picture := read("tracefile://" + part + ".png/traces/a%20b.pt.trace.json.gz")
		if _, err := png.Decode(bytes.NewReader(picture.Blob)); err != nil || picture.MIMEType != "image/png" {
			t.Errorf("%s: %v", part, err)
		}
	}
	for _, wrong := range []string{"gap-99.svg", "gap-0.svg", "step-3.svg", "all.gif", "250-100ms.svg", "all.svg%00"} {
		if _, err := c.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "tracefile://" + wrong + "/traces/a%20b.pt.trace.json.gz"}); err == nil {
			t.Errorf("%s was drawn", wrong)
		}
	}
}

// TestCompletion: a client is offered the codes and Runs that an address can have.
func TestCompletion(t *testing.T) {
	c := newClient(t, t.TempDir(), nil, nil)
	ask := func(uri, argument, value string) []string {
		t.Helper()
		r, err := c.session.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{Type: "ref/resource", URI: uri}, Argument: sdk.CompleteParamsArgument{Name: argument, Value: value}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Completion.Values
	}
	if codes := ask("rule://{code}", "code", "sat20"); len(codes) == 0 || !strings.HasPrefix(codes[0], "SAT20") {
		t.Errorf("codes %q", codes)
	}
	if runs := ask("run://{id}", "id", ""); len(runs) != 1 || runs[0] != "latest" {
		t.Errorf("runs %q", runs)
	}
	if other := ask("patch://{name}", "name", "../"); len(other) != 0 {
		t.Errorf("patches %q", other)
	}
}
