package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/report"
)

// mostResource is how long a resource may be: an agent reads it whole.
const mostResource = 256 << 10

// addResources offers what answers link to.
func (s *Server) addResources() {
	s.server.AddReceivingMiddleware(checkAddresses)
	s.addWindows()
	for _, t := range []struct {
		template, name, about, kind string
		read                        func(ctx context.Context, rest string) ([]byte, error)
	}{
		{"run://{id}", "run", "A Run in full, as Markdown: id, name or latest", "text/markdown", s.readRun},
		{"rule://{code}", "rule", "A rule: what it finds, why that costs time, what to do", "text/markdown", s.readRule},
		{"patch://{name}", "patch", "A patch file of propose or verify", "text/x-diff", s.readPatch},
	} {
		s.server.AddResourceTemplate(&sdk.ResourceTemplate{
			URITemplate: t.template, Name: t.name, Description: t.about,
			MIMEType: t.kind,
		},
			func(ctx context.Context, request *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				uri := request.Params.URI
				_, rest, _ := strings.Cut(uri, "://")
				data, err := t.read(ctx, rest)
				if err != nil {
					return nil, notFound(uri)
				}
				if len(data) > mostResource {
					data = append(data[:mostResource:mostResource], "\n…\n"...)
				}
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{
					URI: uri, MIMEType: t.kind,
					Text: human.DataLines(string(data), mostResource),
				}}}, nil
			})
	}
}

// uriForm is what an address of ours can look like.
var uriForm = regexp.MustCompile(`^[a-z]+://[A-Za-z0-9._/ +%-]{1,300}$`)

// checkAddresses refuses other addresses before the SDK sees them: it answers to an unknown one with the address quoted
// as in Go, and a control character in it would break the JSON and with it the connection.
func checkAddresses(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		if read, ok := request.(*sdk.ReadResourceRequest); ok && !uriForm.MatchString(read.Params.URI) {
			return nil, notFound(read.Params.URI)
		}
		return next(ctx, method, request)
	}
}

func notFound(uri string) error {
	data, err := json.Marshal(map[string]string{"uri": human.Data(uri, 300)})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "resource not found", Data: data}
}

func (s *Server) readRun(ctx context.Context, name string) ([]byte, error) {
	found, err := s.find(name)
	if err != nil {
		return nil, err
	}
	return s.page(ctx, "report", found.Dir)
}

func (s *Server) readRule(ctx context.Context, code string) ([]byte, error) {
	if !isRunName(code) {
		return nil, refused("not a rule")
	}
	return s.page(ctx, "rule", code)
}

func (s *Server) readPatch(_ context.Context, name string) ([]byte, error) {
	if !patchName.MatchString(name) {
		return nil, refused("not a patch")
	}
	return files.Read(filepath.Join(s.patches(), name), largestPatch)
}

// page is what a command shows, as Markdown.
func (s *Server) page(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opt.Limit)
	defer cancel()
	result := s.opt.Commands(ctx, args, func(string) {})
	if result.Problem != "" {
		return nil, refused("%s", result.Problem)
	}
	var b bytes.Buffer
	err := report.Render(&b, result.Report, "markdown", report.Options{Version: s.opt.Version})
	return b.Bytes(), err
}
