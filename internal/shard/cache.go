package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
)

// Cache is a local folder with files of a store, for programs that train there. A file's name begins with its SHA-256,
// so that one folder serves any number of datasets, and processes share what one of them has fetched.
type Cache struct {
	Store Store
	Dir   string
	Keep  int64 // bytes; files that were not used for the longest time go first. 0 for no limit
}

// Cached is a file in the cache.
type Cached struct {
	Path    string
	Fetched bool // else it was there before
}

// Fetch gives a published file's local path. Of several processes that ask for it one reads it from the store, and the
// others wait.
func (c Cache) Fetch(ctx context.Context, f File) (Cached, error) {
	if _, err := hex.DecodeString(f.SHA256); err != nil || len(f.SHA256) != 2*sha256.Size || f.Bytes < 0 {
		return Cached{}, fmt.Errorf("%q has no valid SHA-256 and size", f.Name)
	}
	local := filepath.Join(c.Dir, f.SHA256[:16]+"-"+path.Base(f.Name))
	if used(local, f.Bytes) {
		return Cached{Path: local}, nil
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return Cached{}, fmt.Errorf("cannot create the cache: %w", err)
	}
	unlock, err := c.lock(ctx, f.SHA256)
	if err != nil {
		return Cached{}, err
	}
	defer unlock()
	if used(local, f.Bytes) { // by somebody else, meanwhile
		return Cached{Path: local}, nil
	}
	if err := c.room(filepath.Base(local), f.Bytes); err != nil {
		return Cached{}, err
	}
	in, err := c.Store.Read(ctx, f.Name, 0, -1)
	if err != nil {
		return Cached{}, err
	}
	defer in.Close()
	_, err = files.Stream(local, func(w io.Writer) error {
		h := sha256.New()
		n, err := io.Copy(io.MultiWriter(w, h), in)
		if err == nil && (n != f.Bytes || hex.EncodeToString(h.Sum(nil)) != f.SHA256) {
			err = fmt.Errorf("%s is not what the index lists; run: saturate mel merge %s --check", f.Name, c.Store.Place())
		}
		return err
	})
	if err != nil {
		return Cached{}, fmt.Errorf("cannot fetch %s: %w", f.Name, err)
	}
	return Cached{Path: local, Fetched: true}, nil
}

// Index gives the local path of the index, as it is now, and what it holds.
func (c Cache) Index(ctx context.Context) (string, *Index, error) {
	text, err := readAll(ctx, c.Store, indexName, 0, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, fmt.Errorf("%s has no %s; make it with: saturate mel merge %s", c.Store.Place(), indexName,
			c.Store.Place())
	}
	if err != nil {
		return "", nil, err
	}
	var index Index
	if err := json.Unmarshal(text, &index); err != nil {
		return "", nil, fmt.Errorf("the index of %s is damaged: %w", c.Store.Place(), err)
	}
	sum := sha256.Sum256(text)
	local := filepath.Join(c.Dir, hex.EncodeToString(sum[:8])+"-"+indexName)
	if used(local, int64(len(text))) {
		return local, &index, nil
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("cannot create the cache: %w", err)
	}
	return local, &index, files.Write(local, text)
}

// used reports whether a file is there, and notes the time.
func used(local string, size int64) bool {
	info, err := os.Stat(local)
	if err != nil || info.Size() != size {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(local, now, now)
	return true
}

// lock waits until no other process fetches the same file. A file system without locks has none: then two may fetch it,
// and both get it whole.
func (c Cache) lock(ctx context.Context, sum string) (unlock func(), err error) {
	h := fnv.New32()
	io.WriteString(h, sum)
	for {
		f, err := files.OpenOwn(filepath.Join(c.Dir, fmt.Sprintf("lock-%02d", h.Sum32()%64)), files.Private)
		if err != nil {
			return nil, fmt.Errorf("cannot lock the cache: %w", err)
		}
		if err := files.Lock(f); !errors.Is(err, files.ErrBusy) {
			return func() { f.Close() }, nil
		}
		f.Close()
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// room removes what was not used for the longest time, and what a killed process left of this file. Who has a removed
// file open or mapped keeps reading it.
func (c Cache) room(name string, size int64) error {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return fmt.Errorf("cannot list the cache: %w", err)
	}
	var held []fs.FileInfo
	total := size
	for _, e := range entries {
		if files.IsLeftover(e.Name()) && strings.HasPrefix(e.Name(), "."+name+".") {
			_ = os.Remove(filepath.Join(c.Dir, e.Name()))
		}
		if info, err := e.Info(); err == nil && isCached(info) {
			held = append(held, info)
			total += info.Size()
		}
	}
	slices.SortFunc(held, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range held {
		if c.Keep == 0 || total <= c.Keep {
			break
		}
		if os.Remove(filepath.Join(c.Dir, info.Name())) == nil {
			total -= info.Size()
		}
	}
	return nil
}

// isCached tells of a file that Fetch has made: nothing else is ever removed. An index stays, because readers open it
// again later.
func isCached(info fs.FileInfo) bool {
	name := info.Name()
	if !info.Mode().IsRegular() || len(name) < 18 || name[16] != '-' || name[17:] == indexName {
		return false
	}
	_, err := hex.DecodeString(name[:16])
	return err == nil
}
