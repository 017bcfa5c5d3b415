package shard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"saturate/internal/shard/shardtest"
)

// published puts a file into a store and says what an index would list of it.
func published(t *testing.T, s Store, name, content string) File {
	t.Helper()
	if ok, err := publishBytes(t.Context(), s, name, []byte(content)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	sum := sha256.Sum256([]byte(content))
	return File{name, int64(len(content)), hex.EncodeToString(sum[:])}
}

func TestCacheFetchesOnce(t *testing.T) {
	proxy := shardtest.Before(shardtest.New(), 0, 1)
	at := httptest.NewServer(proxy)
	defer at.Close()
	t.Setenv("AWS_ENDPOINT_URL", at.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := Open("s3://features/train", t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	f := published(t, s, "shards/000000.tar", strings.Repeat("features", 1000))
	before := proxy.Requests.Load()
	c := Cache{Store: s, Dir: filepath.Join(t.TempDir(), "cache")}
	left := filepath.Join(c.Dir, "."+f.SHA256[:16]+"-000000.tar.abcdefghijklmnopqrstuvwxyz.saturate-tmp")
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			got, err := c.Fetch(t.Context(), f)
			if err != nil {
				t.Error(err)
				return
			}
			if data, err := os.ReadFile(got.Path); err != nil || int64(len(data)) != f.Bytes {
				t.Error(len(data), err)
			}
		})
	}
	group.Wait()
	if n := proxy.Requests.Load() - before; n != 2 { // a HEAD and a GET
		t.Errorf("%d requests for one file", n)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Error("what a killed process left is still there")
	}

	f.SHA256 = strings.Repeat("ab", 32)
	if _, err := c.Fetch(t.Context(), f); err == nil || !strings.Contains(err.Error(), "is not what the index lists") {
		t.Error(err)
	}
	f.SHA256 = "../../etc"
	if _, err := c.Fetch(t.Context(), f); err == nil {
		t.Error("a name that leads elsewhere was taken")
	}
}

func TestCacheKeeps(t *testing.T) {
	s := &folder{dir: t.TempDir()}
	c := Cache{Store: s, Dir: t.TempDir(), Keep: 2500}
	other := filepath.Join(c.Dir, "a file of the user")
	if err := os.WriteFile(other, make([]byte, 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	var paths []string
	for i := range 4 {
		got, err := c.Fetch(t.Context(), published(t, s, fmt.Sprintf("shards/%06d.tar", i), strings.Repeat(fmt.Sprint(i), 1000)))
		if err != nil || !got.Fetched {
			t.Fatal(got, err)
		}
		when := time.Now().Add(time.Duration(i-10) * time.Minute)
		if err := os.Chtimes(got.Path, when, when); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, got.Path)
	}
	for i, path := range append(paths, other) {
		if _, err := os.Stat(path); (err == nil) != (i >= 2) {
			t.Errorf("file %d: %v", i, err)
		}
	}
}

func TestCacheServes(t *testing.T) {
	s := &folder{dir: t.TempDir()}
	f := published(t, s, "shards/000000.tar", "one")
	index := fmt.Sprintf(`{"kind":"mel","shards":[{"rows":1,"files":[{"name":%q,"bytes":3,"sha256":%q}]}]}`, f.Name, f.SHA256)
	published(t, s, indexName, index)
	c := Cache{Store: s, Dir: t.TempDir()}
	var out strings.Builder
	in := fmt.Sprintf("{\"name\":\"dataset.json\"}\n{\"name\":%q,\"bytes\":3,\"sha256\":%q}\n{\"name\":\"gone\",\"bytes\":3,\"sha256\":%q}\n", f.Name, f.SHA256, strings.Repeat("00", 32))
	if err := c.Serve(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"dataset.json","path":`, `"name":"shards/000000.tar","path":`, `"name":"gone","error":`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	got, err := c.Fill(t.Context(), func(int, int) {})
	if err != nil || got != (Fetched{Existing: 1}) {
		t.Error(got, err)
	}
	if err := c.Serve(t.Context(), strings.NewReader("no JSON"), io.Discard); err == nil {
		t.Error("no error")
	}
}
