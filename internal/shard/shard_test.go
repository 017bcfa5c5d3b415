package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"saturate/internal/shard/shardtest"
)

// stores are the kinds that every test runs on: a new one each, and everything that one holds.
func stores(t *testing.T, test func(t *testing.T, open func() Store, content func() map[string]string)) {
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		test(t, func() Store { return &folder{dir: dir} }, func() map[string]string { return tree(t, dir) })
	})
	t.Run("s3", func(t *testing.T) {
		open, server, _ := bucket(t, 0)
		test(t, open, func() map[string]string { return trimmed(server.Objects("bucket/data/")) })
	})
	t.Run("unreliable s3", func(t *testing.T) {
		open, server, proxy := bucket(t, 0.05)
		test(t, open, func() map[string]string { return trimmed(server.Objects("bucket/data/")) })
		if proxy.Requests.Load() > 400 && (proxy.Errors.Load() == 0 || proxy.Lost.Load() == 0) {
			t.Errorf("nothing failed in %d requests", proxy.Requests.Load())
		}
	})
}

func bucket(t *testing.T, share float64) (open func() Store, server *shardtest.S3, proxy *shardtest.Proxy) {
	server = shardtest.New()
	proxy = shardtest.Before(server, share, 7)
	at := httptest.NewServer(proxy)
	t.Cleanup(at.Close)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "very secret")
	scratch := t.TempDir()
	return func() Store {
		s, err := Open("s3://bucket/data", scratch, func(name string) string {
			if name == "AWS_ENDPOINT_URL" {
				return at.URL
			}
			return ""
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}, server, proxy
}

func trimmed(m map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[strings.TrimPrefix(k, "bucket/data/")] = v
	}
	return out
}

func tree(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// planned puts a plan of so many inputs into a store.
func planned(t testing.TB, s Store, inputs, per int) *Plan {
	t.Helper()
	d, err := NewDraft("test", map[string]int{"version": 1}, "", per, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for i := range inputs {
		if err := d.Add(Input{Line: fmt.Appendf(nil, `{"n":%d}`, i), Bytes: int64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Publish(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPlan(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// upper is a maker whose result follows from its input.
func upper(_ context.Context, j Job) (Made, error) {
	path := filepath.Join(j.Dir, "out")
	text := fmt.Sprintf("shard %d\n%s", j.Shard, strings.ToUpper(string(j.Lines)))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return Made{}, err
	}
	return Made{Rows: int64(j.Part.Inputs), Files: []Piece{{"shards/" + Name(j.Shard) + ".txt", path}}, Detail: map[string]int{"first": j.Part.First}}, nil
}

func TestEveryShardOnceInAnyOrder(t *testing.T) {
	var contents []map[string]string
	stores(t, func(t *testing.T, open func() Store, content func() map[string]string) {
		s := open()
		p := planned(t, s, 103, 10)
		order := []int{7, 3, 10, 0, 5, 1, 9, 2, 8, 6, 4}
		w, err := Work(t.Context(), s, p, order[:6], upper, nil)
		if err != nil || w.Published != 6 {
			t.Fatal(w, err)
		}
		if _, _, err := Merge(t.Context(), s, p, true, nil); err == nil || !strings.Contains(err.Error(), "5 of 11 shards are missing, the first is 2") {
			t.Errorf("a part was merged: %v", err)
		}
		w, err = Work(t.Context(), open(), p, order, upper, nil)
		if err != nil || w.Published != 5 || w.Skipped != 6 {
			t.Fatal(w, err)
		}
		st, index, err := Merge(t.Context(), s, p, true, nil)
		if err != nil || st.Rows != 103 || st.Checked != 11 || index.Shards[10].Rows != 3 {
			t.Fatal(st, err)
		}
		contents = append(contents, content())
	})
	for _, c := range contents[1:] {
		if fmt.Sprint(c) != fmt.Sprint(contents[0]) {
			t.Errorf("two stores differ:\n%v\n%v", contents[0], c)
		}
	}
	for name := range contents[0] {
		if strings.HasPrefix(name, scratchName+"/") {
			t.Errorf("left lying: %s", name)
		}
	}
}

func TestTwoWorkersPublishOnce(t *testing.T) {
	stores(t, func(t *testing.T, open func() Store, content func() map[string]string) {
		p := planned(t, open(), 40, 2)
		var mu sync.Mutex
		published := map[int]int{}
		made := 0
		var group sync.WaitGroup
		for range 4 {
			s := open()
			group.Go(func() {
				_, err := Work(t.Context(), s, p, Which{0, 1, ""}.Mine(20), upper, func(e Event) {
					mu.Lock()
					defer mu.Unlock()
					if e.What == "published" {
						published[e.Shard]++
					}
					if e.What == "published" || e.What == "lost" {
						made++
					}
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		for i, n := range published {
			if n > 1 {
				t.Errorf("shard %d was published %d times", i, n)
			}
		}
		if _, _, err := Merge(t.Context(), open(), p, true, nil); err != nil {
			t.Error(err)
		}
		t.Logf("%d shards, made %d times in all", len(p.Shards), made)
	})
}

// A worker that died after its file and before its receipt leaves the file; the next one takes it as it is.
func TestFileWithoutReceipt(t *testing.T) {
	stores(t, func(t *testing.T, open func() Store, content func() map[string]string) {
		s := open()
		p := planned(t, s, 4, 2)
		dir := t.TempDir()
		made, err := upper(t.Context(), Job{Shard: 0, Part: p.Shards[0], Lines: []byte("{\"n\":0}\n{\"n\":1}\n"), Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Publish(t.Context(), made.Files[0].Name, made.Files[0].Path); err != nil || !ok {
			t.Log("its reply was lost", err)
		}
		if w, err := Work(t.Context(), s, p, []int{0, 1}, upper, nil); err != nil || len(w.Failed) > 0 {
			t.Fatal(w, err)
		}
		if _, _, err := Merge(t.Context(), s, p, true, nil); err != nil {
			t.Error(err)
		}
	})
}

func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	s := &folder{dir: dir}
	p := planned(t, s, 6, 2)
	if _, err := Work(t.Context(), s, p, []int{0, 1, 2}, upper, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "shards", "000001.txt")
	data, _ := os.ReadFile(path)
	data[3] ^= 1
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Merge(t.Context(), s, p, false, nil); err != nil {
		t.Errorf("sizes alone are right: %v", err)
	}
	if _, _, err := Merge(t.Context(), s, p, true, nil); err == nil || !strings.Contains(err.Error(), "shard 1: shards/000001.txt is damaged") {
		t.Errorf("damage was not found: %v", err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, planName))
	for _, change := range [][2]string{{`"version": 1`, `"version": 2`}, {`"inputs": 2`, `"inputs": 3`}, {contract, "another"}} {
		if _, err := parsePlan([]byte(strings.Replace(string(text), change[0], change[1], 1))); err == nil {
			t.Errorf("a plan with %s was taken", change[1])
		}
	}
	d, err := NewDraft("test", map[string]int{"version": 2}, "", 2, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.Add(Input{Line: []byte(`1`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Publish(t.Context(), s); err == nil || !strings.Contains(err.Error(), "a different plan") {
		t.Errorf("another plan took its place: %v", err)
	}
}

func TestFailedShardDoesNotStopOthers(t *testing.T) {
	s := &folder{dir: t.TempDir()}
	p := planned(t, s, 6, 2)
	broken := errors.New("broken")
	w, err := Work(t.Context(), s, p, []int{0, 1, 2}, func(ctx context.Context, j Job) (Made, error) {
		if j.Shard == 1 {
			return Made{}, broken
		}
		return upper(ctx, j)
	}, nil)
	if !errors.Is(err, broken) || w.Published != 2 || !slices.Equal(w.Failed, []int{1}) {
		t.Error(w, err)
	}
	st, err := Status(t.Context(), s, p)
	if err != nil || st.Published != 2 || !slices.Equal(st.Missing, []int{1}) {
		t.Error(st, err)
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		flag, env string
		worker    int
		of        int
		err       string
	}{
		{"", "", 0, 1, ""},
		{"2/5", "", 2, 5, ""},
		{"5/5", "", 0, 0, "0 to N-1"},
		{"-1/5", "", 0, 0, "0 to N-1"},
		{"3", "", 0, 0, "must be i/N"},
		{"", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=8", 6, 8, ""},
		{"", "SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4", 3, 4, ""},
		{"/64", "SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_COUNT=1", 7, 64, ""},
		{"/16", "JOB_COMPLETION_INDEX=3", 3, 16, ""},
		{"", "JOB_COMPLETION_INDEX=3", 0, 0, "add --shard /N"},
		{"", "RANK=3 WORLD_SIZE=4", 3, 4, ""},
		{"1/2", "RANK=3 WORLD_SIZE=4", 1, 2, ""},
		{"/4", "", 0, 0, "needs SLURM_ARRAY_TASK_ID"},
		{"", "RANK=x WORLD_SIZE=4", 0, 0, "not possible"},
	} {
		vars := map[string]string{}
		for _, v := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(v, "=")
			vars[name] = value
		}
		w, err := Choose(c.flag, func(name string) string { return vars[name] })
		if w.Worker != c.worker || w.Of != c.of || c.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q %s: %v %v", c.flag, c.env, w, err)
		}
	}
	seen := map[int]int{}
	for i := range 7 {
		for _, s := range (Which{Worker: i, Of: 7}).Mine(100) {
			seen[s]++
		}
	}
	for i := range 100 {
		if seen[i] != 1 {
			t.Errorf("shard %d belongs to %d workers", i, seen[i])
		}
	}
}

func FuzzPlan(f *testing.F) {
	d, err := NewDraft("test", map[string]string{"a": "b"}, "", 1, f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	defer d.Close()
	_ = d.Add(Input{Line: []byte(`{}`), Bytes: 2})
	d.Hash = d.hash()
	text, _ := json.Marshal(d.Plan)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parsePlan(text)
		if err != nil {
			return
		}
		again, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if q, err := parsePlan(again); err != nil || q.Hash != p.Hash {
			t.Fatalf("a plan that was read and written is another: %v", err)
		}
	})
}
