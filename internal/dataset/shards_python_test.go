package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"saturate/internal/shard"
)

// TestPythonReadsShards has a torch DataLoader with 4 workers on each of 2 ranks read 100 shards: every sample once per epoch, and an epoch that
// was left goes on where it was, with the same or another number of ranks.
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
	formats := []string{"webdataset"}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		formats = []string{"webdataset", "hdf5", "parquet"}
	}
	for _, to := range formats {
		t.Run(to, func(t *testing.T) {
			o := small(t, dir, to)
			o.Length = 100 * time.Millisecond
			place := t.TempDir()
			s := openStore(t, place)
			p, settings := planFor(t, s, find(t, dir), o, 3)
			if _, err := shard.Work(t.Context(), s, p, shard.Which{Of: 1}.Mine(len(p.Shards)), func(ctx context.Context, j shard.Job) (shard.Made, error) {
				return settings.MakeShard(ctx, j, small(t, dir, ""), nil)
			}, nil); err != nil {
				t.Fatal(err)
			}
			if _, _, err := shard.Merge(t.Context(), s, p, false, nil); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(python, "testdata/shards.py", "../../python", place)
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
}
