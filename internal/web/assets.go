package web

import "embed"

// assets is the page, built from ui by `go generate`. The build is reproducible; esbuild is a tool, not part of the
// binary.
//
//go:generate bash ui/build.sh
//go:embed ui/dist
var assets embed.FS

// kinds are the files of the page with their types. Everything else is the page itself.
var kinds = map[string]string{
	"index.html": "text/html; charset=utf-8",
	"app.js":     "text/javascript; charset=utf-8",
	"app.css":    "text/css; charset=utf-8",
	"icon.svg":   "image/svg+xml",
}
