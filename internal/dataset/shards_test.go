package dataset

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/shard"
	"saturate/internal/shard/shardtest"
)

// planFor plans a build into a store.
func planFor(t testing.TB, s shard.Store, l *List, o Options, per int) (*shard.Plan, Settings) {
	t.Helper()
	if err := l.Checksums(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	settings, err := SettingsOf(o, l)
	if err != nil {
		t.Fatal(err)
	}
	d, err := shard.NewDraft("mel", settings, o.Dir, per, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := l.Draft(d); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Publish(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	p, err := shard.ReadPlan(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if settings, err = ParseSettings(p.Settings); err != nil {
		t.Fatal(err)
	}
	return p, settings
}

func openStore(t testing.TB, place string) shard.Store {
	t.Helper()
	s, err := shard.Open(place, t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// All shards together, whoever made them and in whichever order, are the build on one machine.
func TestShardsAreOneBuild(t *testing.T) {
	dir := corpus(t, 60)
	list := "file_name,text,score\n"
	for i := range 60 {
		list += fmt.Sprintf("%04d.wav,text %d,%d\n", i, i, i)
	}
	write(t, filepath.Join(dir, "list.csv"), []byte(list))
	random := rand.New(rand.NewPCG(3, 36))
	for to := range shardEndings {
		for _, layout := range layouts {
			t.Run(to+" "+layout.name, func(t *testing.T) {
				o := small(t, dir, to)
				layout.set(&o)
				l := find(t, dir, "list.csv")
				build(t, l, o)
				place := t.TempDir()
				s := openStore(t, place)
				p, settings := planFor(t, s, find(t, dir, "list.csv"), o, 1+random.IntN(20))
				work := small(t, dir, "")
				_, err := shard.Work(t.Context(), s, p, random.Perm(len(p.Shards)), func(ctx context.Context, j shard.Job) (shard.Made, error) {
					return settings.MakeShard(ctx, j, work, nil)
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				st, _, err := shard.Merge(t.Context(), s, p, true, nil)
				if err != nil || st.Failed == 0 {
					t.Fatal(st, err)
				}
				joined := small(t, dir, "")
				if _, err := settings.Join(t.Context(), s, p, joined); err != nil {
					t.Fatal(err)
				}
				if a, b := fingerprint(t, o.Output), fingerprint(t, joined.Output); a != b {
					t.Errorf("%d shards joined are %s, one build is %s", len(p.Shards), b, a)
				}
				if a, b := fingerprint(t, quarantineName(o.Output)), fingerprint(t, quarantineName(joined.Output)); a != b {
					t.Error("the quarantine lists differ")
				}
			})
		}
	}
}

// A tar shard is the very archive that one machine writes.
func TestTarShardIsTheSameArchive(t *testing.T) {
	dir := corpus(t, 20)
	o := small(t, dir, "webdataset")
	o.Shard = 5
	build(t, find(t, dir), o)
	place := t.TempDir()
	s := openStore(t, place)
	p, settings := planFor(t, s, find(t, dir), o, 5)
	if _, err := shard.Work(t.Context(), s, p, []int{3, 0, 2, 1}, func(ctx context.Context, j shard.Job) (shard.Made, error) {
		return settings.MakeShard(ctx, j, small(t, dir, ""), nil)
	}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		a, b := filepath.Join(o.Output, shardName(i)), filepath.Join(place, "shards", shard.Name(i)+".tar")
		if fingerprint(t, a) != fingerprint(t, b) {
			t.Errorf("%s and %s differ", a, b)
		}
	}
}

func TestChangedInputFailsItsShard(t *testing.T) {
	dir := corpus(t, 8)
	s := openStore(t, t.TempDir())
	o := small(t, dir, "hdf5")
	p, settings := planFor(t, s, find(t, dir), o, 2)
	changed, err := os.ReadFile(filepath.Join(dir, "0002.wav"))
	if err != nil {
		t.Fatal(err)
	}
	changed[len(changed)-1] ^= 1
	write(t, filepath.Join(dir, "0002.wav"), changed)
	if err := os.Remove(filepath.Join(dir, "0005.wav")); err != nil {
		t.Fatal(err)
	}
	var failed []string
	w, err := shard.Work(t.Context(), s, p, []int{0, 1, 2, 3}, func(ctx context.Context, j shard.Job) (shard.Made, error) {
		return settings.MakeShard(ctx, j, small(t, dir, ""), nil)
	}, func(e shard.Event) {
		if e.Err != nil {
			failed = append(failed, e.Err.Error())
		}
	})
	all := strings.Join(failed, "\n")
	if err == nil || w.Published != 2 || !strings.Contains(all, "0002.wav changed after the plan was made") || !strings.Contains(all, "0005.wav") {
		t.Errorf("%+v %s", w, all)
	}
}

// Inputs and outputs in an object store that answers badly: the same bytes as from files.
func TestShardsInAnUnreliableStore(t *testing.T) {
	server := shardtest.New()
	proxy := shardtest.Before(server, 0.05, 5)
	at := httptest.NewServer(proxy)
	defer at.Close()
	t.Setenv("AWS_ENDPOINT_URL", at.URL)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	scratch := t.TempDir()
	open := func(place string) (shard.Store, error) { return shard.Open(place, scratch, os.Getenv) }
	audio := openStore(t, "s3://corpus")
	dir := t.TempDir()
	for i := range 30 {
		name := filepath.Join(dir, fmt.Sprintf("%04d.wav", i))
		write(t, name, wav(t, 16000, 1, voice(4000+100*i, uint64(i))))
		if err := audio.Replace(t.Context(), fmt.Sprintf("audio/%04d.wav", i), name); err != nil {
			t.Fatal(err)
		}
	}
	archive := filepath.Join(t.TempDir(), "more.tar")
	write(t, archive, tarOf(t, map[string]string{
		"a.wav": string(wav(t, 16000, 1, voice(6000, 77))), "a.json": `{"text":"of the archive"}`, "b.wav": string(wav(t, 16000, 1, voice(7000, 78))), "b.txt": "other",
	}))
	if err := audio.Replace(t.Context(), "audio/more.tar", archive); err != nil {
		t.Fatal(err)
	}
	l, err := Find(t.Context(), []string{"s3://corpus/audio"}, FindOptions{Store: open})
	if err != nil || len(l.Items) != 32 {
		t.Fatal(len(l.Items), err)
	}
	s := openStore(t, "s3://features/train")
	o := small(t, "", "webdataset")
	p, settings := planFor(t, s, l, o, 5)
	if _, err := shard.Work(t.Context(), s, p, shard.Which{Of: 1}.Mine(len(p.Shards)), func(ctx context.Context, j shard.Job) (shard.Made, error) {
		return settings.MakeShard(ctx, j, small(t, "", ""), open)
	}, nil); err != nil {
		t.Fatal(err)
	}
	if st, _, err := shard.Merge(t.Context(), s, p, true, nil); err != nil || st.Failed != 0 || st.Rows != 32 {
		t.Fatal(st, err)
	}
	joined := small(t, "", "")
	if _, err := settings.Join(t.Context(), s, p, joined); err != nil {
		t.Fatal(err)
	}
	fromFiles := small(t, dir, "webdataset")
	build(t, find(t, dir), fromFiles)
	b1, _, err := openAny(joined.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer b1.close()
	b2, _, err := openAny(fromFiles.Output)
	if err != nil {
		t.Fatal(err)
	}
	defer b2.close()
	if got := b1.texts["text"][30] + "," + b1.texts["text"][31]; got != "of the archive,other" {
		t.Errorf("columns of the archive: %s", got)
	}
	for row := range b2.rowsAt {
		x, y := make([]uint16, 80*100), make([]uint16, 80*100)
		if err := b1.rowsAt[row](x); err != nil {
			t.Fatal(err)
		}
		if err := b2.rowsAt[row](y); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(x) != fmt.Sprint(y) {
			t.Fatalf("row %d differs", row)
		}
	}
	t.Logf("%d requests, %d errors, %d lost replies", proxy.Requests.Load(), proxy.Errors.Load(), proxy.Lost.Load())
}

func FuzzPlannedItem(f *testing.F) {
	f.Add([]byte(`{"path":"a.wav","size":3,"values":["#1","$x"]}`))
	f.Add([]byte(`{"path":"/w==","base64":true,"size":3,"sum":"00"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		it, err := parseItem(line)
		if err != nil {
			return
		}
		again, err := it.line()
		if err != nil {
			t.Fatal(err)
		}
		twice, err := parseItem(again)
		if err != nil || twice.Path != it.Path || twice.Size != it.Size || len(twice.values) != len(it.values) {
			t.Fatalf("%s became %s: %v", line, again, err)
		}
	})
}

// tarOf makes an archive of named contents, in the order of their names.
func tarOf(t testing.TB, members map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(members[name])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(members[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
