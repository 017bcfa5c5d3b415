package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// entry is one file of a wheel.
type entry struct {
	path       string
	data       []byte
	executable bool
}

// pack puts a wheel together. Its last file lists all the others with their hashes.
func pack(p platform, release string, binary []byte, sources map[string][]byte, when time.Time) ([]byte, error) {
	name := "saturate_gpu-" + release
	var entries []entry
	for _, path := range slices.Sorted(maps.Keys(sources)) {
		entries = append(entries, entry{path: path, data: sources[path]})
	}
	entries = append(entries, entry{name + ".data/scripts/" + p.binary(), binary, true})
	about, err := metadata(p, release)
	if err != nil {
		return nil, err
	}
	for _, path := range slices.Sorted(maps.Keys(about)) {
		entries = append(entries, entry{path: name + ".dist-info/" + path, data: about[path]})
	}
	entries = append(entries, entry{path: name + ".dist-info/RECORD", data: record(entries, name)})

	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.path, Method: zip.Deflate, Modified: when}
		header.SetMode(0o644)
		if e.executable {
			header.SetMode(0o755)
		}
		f, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// record lists paths, hashes and sizes; its own line has neither hash nor size.
func record(entries []entry, name string) []byte {
	var b strings.Builder
	for _, e := range entries {
		sum := sha256.Sum256(e.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", e.path, base64.RawURLEncoding.EncodeToString(sum[:]), len(e.data))
	}
	fmt.Fprintf(&b, "%s.dist-info/RECORD,,\n", name)
	return []byte(b.String())
}
