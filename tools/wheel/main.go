// Command wheel builds the Python wheels of saturate: the binary, which pip puts on the PATH as it is, and the package
// saturate_gpu. No Python is needed to build them, and two builds of one commit are the same bytes.
//
//		go run ./tools/wheel                # all platforms, into dist/
//		go run ./tools/wheel -only win_amd64
//
//	 1. the binary of a platform, and what it needs of the system (build.go)
//	 2. the files of the wheel, in order, with their hashes (wheel.go)
//	 3. the metadata (metadata.go)
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/tune/setting"
	"saturate/internal/version"
	"saturate/python"
)

func main() {
	out := flag.String("o", "dist", "`FOLDER` for the wheels")
	only := flag.String("only", "", "build only platforms whose tag contains `TEXT`")
	flag.Parse()
	if err := run(*out, *only); err != nil {
		fmt.Fprintln(os.Stderr, "wheel:", err)
		os.Exit(1)
	}
}

// most is how large a wheel may be. People wait for it in `uvx`.
const most = 15e6

func run(out, only string) error {
	release, err := pep440(version.Version)
	if err != nil {
		return err
	}
	when, err := commitTime()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	sources := python.Package()
	sources["saturate_gpu/platform.py"] = setting.Module()
	built := 0
	for _, p := range platforms {
		if !strings.Contains(p.tag, only) {
			continue
		}
		binary, err := p.build()
		if err != nil {
			return fmt.Errorf("%s: %w", p.tag, err)
		}
		if err := p.check(binary); err != nil {
			return fmt.Errorf("%s: %w", p.tag, err)
		}
		data, err := pack(p, release, binary, sources, when)
		if err != nil {
			return fmt.Errorf("%s: %w", p.tag, err)
		}
		if len(data) > most {
			return fmt.Errorf("%s: the wheel has %.1f MB, more than %.0f", p.tag, float64(len(data))/1e6, most/1e6)
		}
		path := filepath.Join(out, p.file(release))
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
		fmt.Printf("%s  %.1f MB (binary %.1f MB)\n", path, float64(len(data))/1e6, float64(len(binary))/1e6)
		built++
	}
	if built == 0 {
		return fmt.Errorf("no platform's tag contains %q", only)
	}
	return nil
}
