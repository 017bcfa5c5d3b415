// Package web shows Runs and traces in a browser: `saturate serve`.
//
//	Library (library.go)   what is shown: Runs of some folders, traces by name or in them
//	Server  (server.go)    answers a browser on this machine; guard.go decides who is answered
//	api_*.go               the answers, as JSON: a trace, a Run, two Runs side by side, what is running now
//	import.go              reads a trace once, analyzes it, and keeps both on disk; timeline draws from there
//	ui                     the page; `go generate` bundles it into ui/dist
//
// The server only reads. A request names a Run or a trace by an id out of a list, never by a path.
package web
