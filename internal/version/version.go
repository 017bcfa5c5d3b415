// Package version is the one place that knows this program's version.
package version

// Version follows semantic versioning. Release builds set it with -ldflags "-X saturate/internal/version.Version=…".
var Version = "0.1.0-dev"
