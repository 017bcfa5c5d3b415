package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pack writes an archive, .zip for Windows, with everything in a folder of its name, and the same bytes for the same
// files.
func pack(base string, binary file, extra []file) (string, error) {
	list := append([]file{binary}, extra...)
	for _, need := range []string{
		"LICENSE", "man/saturate.1", "man/saturate-scan.1", "completions/saturate.bash",
		"completions/_saturate",
	} {
		if !slices.ContainsFunc(list, func(f file) bool { return f.name == need && len(f.data) > 0 }) {
			return "", fmt.Errorf("%s would lack %s", base, need)
		}
	}
	folder := filepath.Base(base) + "/"
	write, ending := asTar, ".tar.gz"
	if strings.HasSuffix(binary.name, ".exe") {
		write, ending = asZip, ".zip"
	}
	data, err := write(folder, list)
	if err != nil {
		return "", err
	}
	return base + ending, os.WriteFile(base+ending, data, 0o644)
}

func asTar(folder string, list []file) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(z)
	for _, f := range list {
		err := t.WriteHeader(&tar.Header{
			Name: folder + f.name, Mode: int64(f.mode), Size: int64(len(f.data)),
			Format: tar.FormatUSTAR,
		})
		if err == nil {
			_, err = t.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err = errors.Join(t.Close(), z.Close())
	return out.Bytes(), err
}

func asZip(folder string, list []file) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range list {
		header := &zip.FileHeader{Name: folder + f.name, Method: zip.Deflate}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(header)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
