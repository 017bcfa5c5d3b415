package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"saturate/internal/shard"
	"saturate/internal/shard/shardtest"
)

// fetchOnce is `saturate mel fetch PLACE --cache FOLDER --stdin --keep BYTES` for the Python that a test runs.
func fetchOnce(args []string) error {
	s, err := shard.Open(args[0], os.TempDir(), os.Getenv)
	if err != nil {
		return err
	}
	keep, err := strconv.ParseInt(args[5], 10, 64)
	if err != nil {
		return err
	}
	return shard.Cache{Store: s, Dir: args[2], Keep: keep}.Serve(context.Background(), os.Stdin, os.Stdout)
}

// TestPythonReadsShards has a torch DataLoader with 4 workers on each of 2 ranks read 100 shards: every sample once per
// epoch, and an epoch that was left goes on where it was, with the same or another number of ranks. The tars lie in a
// folder and in an object store that fails in 5% of the requests and loses 5% of its replies, with a cache that holds a
// tenth of them.
func TestPythonReadsShards(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: torch and h5py are needed to read with")
	}
	dir := t.TempDir()
	for i := range 300 {
		data := wav(t, 16000, 1, voice(1000+i, uint64(i)))
		if i%50 == 7 {
			data = data[:50] // unusable
		}
		write(t, filepath.Join(dir, fmt.Sprintf("%04d.wav", i)), data)
	}
	test := func(to string, remote bool) {
		t.Run(fmt.Sprintf("%s remote=%t", to, remote), func(t *testing.T) {
			o := small(t, dir, to)
			o.Length = 100 * time.Millisecond
			place, args := t.TempDir(), []string{}
			if remote {
				at := httptest.NewServer(shardtest.Before(shardtest.New(), 0.05, 12))
				defer at.Close()
				t.Setenv("AWS_ENDPOINT_URL", at.URL)
				t.Setenv("AWS_ACCESS_KEY_ID", "test")
				t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
				t.Setenv("SATURATE", os.Args[0])
				place, args = "s3://features/train", []string{filepath.Join(t.TempDir(), "cache"), "100000"}
			}
			s := openStore(t, place)
			p, settings := planFor(t, s, find(t, dir), o, 3)
			if _, err := shard.Work(t.Context(), s, p, shard.Which{Of: 1}.Mine(len(p.Shards)), func(ctx context.Context, j shard.Job) (shard.Made, error) {
				return settings.MakeShard(ctx, j, small(t, dir, ""), nil)
			}, nil); err != nil {
				t.Fatal(err)
			}
			if len(p.Shards) != 100 {
				t.Fatalf("%d shards instead of 100", len(p.Shards))
			}
			if _, _, err := shard.Merge(t.Context(), s, p, false, nil); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, append([]string{"testdata/shards.py", "../../python", place}, args...)...)
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "JAX_PLATFORMS=cpu", "PYTHONWARNINGS=ignore")
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v %s", err, text)
			}
			var answer map[string]any
			if err := json.Unmarshal(text, &answer); err != nil {
				t.Fatalf("%v %s", err, text)
			}
			for name, v := range answer {
				if v == false && name != "has_jax" {
					t.Errorf("%s does not hold", name)
				}
			}
			t.Logf("%d shards: %s", len(p.Shards), text)
		})
	}
	test("webdataset", false)
	if os.Getenv("SATURATE_ACCEPT") != "" {
		test("webdataset", true)
		test("hdf5", false)
		test("parquet", false)
	}
}
