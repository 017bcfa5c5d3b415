package mcp

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/analyze"
	"saturate/internal/files"
)

// mostPicture is how long a picture may be.
const mostPicture = 2 << 20

// windowForm is the name of a part of a trace: all of it, a step, a gap that analyze listed, or a time in milliseconds.
var windowForm = regexp.MustCompile(`^(?:all|step-(\d{1,9})|gap-(\d{1,3})|(\d{1,9})-(\d{1,9})ms)\.(svg|png)$`)

// addWindows offers parts of traces as pictures.
func (s *Server) addWindows() {
	const windows = "all, step-12, gap-1 (as analyze lists gaps) or 100-250ms; .svg or .png"
	for _, t := range []struct {
		template, name, about string
		trace                 func(address string) (path, window string, err error)
	}{
		{"trace://{run}/{window}", "trace window", "A picture of a part of a Run's trace: " + windows, s.windowOfRun},
		{"tracefile://{window}/{+path}", "trace file window", "A picture of a part of a trace file below the roots: " +
			windows, s.windowOfFile},
	} {
		s.server.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: t.template, Name: t.name, Description: t.about,
			MIMEType: "image/svg+xml",
		},
			func(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				uri := request.Params.URI
				_, rest, _ := strings.Cut(uri, "://")
				path, window, err := t.trace(rest)
				if err != nil {
					return nil, notFound(uri)
				}
				data, err := s.picture(ctx, path, window)
				if err != nil {
					return nil, notFound(uri)
				}
				// its texts are harmless already
				content := &sdk.ResourceContents{URI: uri, MIMEType: "image/svg+xml", Text: string(data)}
				if strings.HasSuffix(window, ".png") {
					content = &sdk.ResourceContents{URI: uri, MIMEType: "image/png", Blob: data}
				}
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{content}}, nil
			})
	}
}

func (s *Server) windowOfRun(rest string) (path, window string, err error) {
	name, window, ok := strings.Cut(rest, "/")
	if !ok {
		return "", "", refused("not a part of a trace")
	}
	found, err := s.find(name)
	return found.Dir, window, err
}

func (s *Server) windowOfFile(rest string) (path, window string, err error) {
	window, typed, ok := strings.Cut(rest, "/")
	if !ok {
		return "", "", refused("not a part of a trace")
	}
	if typed, err = url.PathUnescape(typed); err != nil {
		return "", "", err
	}
	path, err = s.roots.path(typed)
	return path, window, err
}

// windowLink is where a picture of a gap is to be had; "" where the trace's path is none that an address can have.
func (t traceSource) windowLink(gap int) string {
	if t.run != "" {
		return fmt.Sprintf("trace://%s/gap-%d.svg", t.run, gap)
	}
	link := fmt.Sprintf("tracefile://gap-%d.svg/%s", gap, (&url.URL{Path: t.typed}).EscapedPath())
	if !uriForm.MatchString(link) {
		return ""
	}
	return link
}

// picture draws a part of a trace by the command `export`.
func (s *Server) picture(ctx context.Context, path, window string) ([]byte, error) {
	m := windowForm.FindStringSubmatch(window)
	if m == nil {
		return nil, refused("a part is all, step-N, gap-N or FROM-TOms, with .svg or .png")
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, s.opt.Limit)
	defer cancel()
	args := []string{"export", path}
	switch {
	case m[1] != "":
		args = append(args, "--step="+m[1])
	case m[2] != "":
		from, to, err := s.gap(ctx, path, m[2])
		if err != nil {
			return nil, err
		}
		args = append(args, "--from="+from.String(), "--to="+to.String())
	case m[3] != "":
		args = append(args, "--from="+m[3]+"ms", "--to="+m[4]+"ms")
	}
	dir, err := os.MkdirTemp("", "saturate-window-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "window."+m[5])
	if result := s.opt.Commands(ctx, append(args, "--output="+file), func(string) {}); result.Problem != "" {
		return nil, refused("%s", result.Problem)
	}
	return files.Read(file, mostPicture)
}

// gap is when a gap of the list of analyze is, with some room at both sides, from the trace's beginning.
func (s *Server) gap(ctx context.Context, path, number string) (from, to time.Duration, err error) {
	result := s.opt.Commands(ctx, []string{"analyze", path, "--top=50"}, func(string) {})
	data, ok := result.Report.Data.(analyze.Analysis)
	n, _ := strconv.Atoi(number)
	if !ok || data.MainGPU() == nil || n < 1 || n > len(data.MainGPU().LongestGaps) {
		return 0, 0, refused("gap %s is not listed", number)
	}
	g := data.MainGPU().LongestGaps[n-1]
	room := max(g.NS()/4, 1000)
	start := data.Window.StartNS
	return time.Duration(max(0, g.StartNS-start-room)), time.Duration(g.EndNS - start + room), nil
}
