package shard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Store is where a plan and its results lie. Names are relative and have slashes. A missing file is fs.ErrNotExist.
type Store interface {
	// Place is the store as a user writes it.
	Place() string
	Stat(ctx context.Context, name string) (Info, error)
	// Read gives a file from a byte on, as far as length goes, or to its end where that is negative.
	Read(ctx context.Context, name string, at, length int64) (io.ReadCloser, error)
	// Part is Read of a file whose size and tag are known: it asks for nothing first, and refuses another content.
	Part(ctx context.Context, known Info, at, length int64) (io.ReadCloser, error)
	// List gives the files below a folder, by name.
	List(ctx context.Context, folder string, each func(Info) error) error
	// Publish puts a finished local file there, unless the name is taken already. Then it changes nothing and gives false.
	// The local file may be gone afterwards.
	Publish(ctx context.Context, name, file string) (published bool, err error)
	// Replace stores a local file, and overwrites what has the name.
	Replace(ctx context.Context, name, file string) error
	// Scratch makes an empty local folder for work on something, and Sweep removes all that were made for it.
	Scratch(work string) (dir string, err error)
	Sweep(work string)
}

// Info is what a store knows of a file without reading it.
type Info struct {
	Name   string
	Bytes  int64
	Tag    string // changes when the content does; "" where the store has none
	SHA256 string // "" where it was not stored with the file
}

// IsRemote reports whether a place is in an object store.
func IsRemote(place string) bool { return strings.HasPrefix(place, "s3://") }

// Open gives the store of a place: a folder, or s3://bucket/prefix. Objects are built below the scratch folder before
// they are sent.
func Open(place, scratch string, env func(string) string) (Store, error) {
	if IsRemote(place) {
		return openS3(place, scratch, env)
	}
	if strings.Contains(place, "://") {
		return nil, fmt.Errorf("%s is not supported; use a folder or s3://BUCKET/PREFIX", place)
	}
	return &folder{dir: place}, nil
}

// sumOf is the SHA-256 of a stored file, read only where the store does not know it.
func sumOf(ctx context.Context, s Store, name string) (Info, error) {
	info, err := s.Stat(ctx, name)
	if err != nil || info.SHA256 != "" {
		return info, err
	}
	r, err := s.Read(ctx, name, 0, -1)
	if err != nil {
		return info, err
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, r)
	info.Bytes, info.SHA256 = n, hex.EncodeToString(h.Sum(nil))
	return info, err
}

func compactJSON(text json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return text
	}
	return b.Bytes()
}
