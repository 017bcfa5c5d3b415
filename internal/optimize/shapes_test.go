package optimize

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
	"saturate/internal/rule"
	"saturate/internal/verify"
)

// ways are how the shapes of offline/testdata train: with chance before and after what is made once, in worker
// processes, and with losses that are rounded otherwise in each run.
var ways = map[string][]string{
	"plain": nil,
	"augmented": {"    loader = DataLoader(dataset,", `    class Augmented(torch.utils.data.Dataset):
        def __len__(self):
            return len(dataset)

        def __getitem__(self, index):
            gain = 0.5 + random.random()
            audio, label = dataset.__getitems__([index])[0] if hasattr(dataset, "__getitems__") else dataset[index]
            return audio * gain + 0.01 * np.random.standard_normal() + 0.01 * torch.rand(len(audio)), label

    loader = DataLoader(Augmented(),`},
	"workers": {"collate_fn=collate,", "collate_fn=collate, num_workers=2,"},
	"rounded": {"            optimizer.zero_grad()\n", "            loss = loss * (1 + 2e-7 * int.from_bytes(open('/dev/urandom', 'rb').read(1), 'big') / 255)\n            optimizer.zero_grad()\n"},
}

// TestShapesKeepTheirSamples: the right repairs of all Dataset shapes pass the guards, in every way.
func TestShapesKeepTheirSamples(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	library, err := filepath.Abs("offline/testdata/library")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PYTHONPATH="+library, "TTS_URL="+speaker(t), "PATH="+filepath.Join(library, "bin")+":"+os.Getenv("PATH"), "OMP_NUM_THREADS=1")
	shapes, err := os.ReadDir("offline/testdata/shapes")
	if err != nil {
		t.Fatal(err)
	}
	tried, passed := 0, 0
	for _, shape := range shapes {
		for way, changes := range ways {
			if os.Getenv("SATURATE_ACCEPT") == "" && (shape.Name() != "random_voice" || way != "augmented") {
				continue
			}
			t.Run(shape.Name()+"/"+way, func(t *testing.T) {
				tried++
				rung := tryShape(t, shape.Name(), changes, append(forked.Command(t, python), "train.py"), env)
				if rung.Samples == nil {
					t.Fatalf("not measured: %s: %s", rung.Decision, rung.Because)
				}
				t.Logf("%s: %s; samples %s: %s", rung.Decision, rung.Because, rung.Samples.State, rung.Samples.Reason)
				if rung.Decision == Wrong || rung.Decision == Broken || rung.Samples.State != verify.Passed {
					t.Fatal("a right repair is dropped")
				}
				passed++
			})
		}
	}
	t.Logf("%d of %d right repairs passed", passed, tried)
}

// tryShape climbs the ladder of a shape, and gives the rung of what is made once.
func tryShape(t *testing.T, shape string, changes, command, env []string) Rung {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "job")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("offline/testdata/shapes", shape))); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range []string{"train.py", "texts.txt"} {
		data, err := os.ReadFile(filepath.Join("offline/testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	for i := 0; i < len(changes); i += 2 {
		if strings.Count(files["train.py"], changes[i]) != 1 {
			t.Fatalf("%q is not once in train.py", changes[i])
		}
		files["train.py"] = strings.Replace(files["train.py"], changes[i], changes[i+1], 1)
	}
	probetest.Write(t, dir, files)
	result, err := Run(t.Context(), Options{
		Dir: dir, Command: command, State: filepath.Join(t.TempDir(), "state"), Steps: 20, Quick: true, Pairs: 1, Timeout: 5 * time.Minute,
		Rules:   rule.Selection{Select: []string{"SAT101", "SAT104", "SAT108", "SAT124"}},
		Profile: newWorld(1).profile, // it waits for data half of the time, so that the repair is tried
		Execute: verify.Programs(env), Look: verify.Samples(env, nil),
		Prepare: func(ctx context.Context, home probe.Home, words []string) error {
			rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(command[:len(command)-1], word) })
			return ByCommand(env, nil, 5*time.Minute)(ctx, home, append(slices.Clone(command[:len(command)-1]), rest...))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, rung := range result.Ladder {
		if rung.ID == offlineGroup.id {
			return rung
		}
	}
	t.Fatalf("nothing is made once: %v, by hand %v", decisions(result), result.ByHand)
	return Rung{}
}

// speaker speaks as a program on the network does.
func speaker(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seed := crc32.ChecksumIEEE(body)
		samples := make([]int16, 2000+len(body))
		for i := range samples {
			seed = seed*1664525 + 1013904223
			samples[i] = int16(seed >> 17)
		}
		w.Write(make([]byte, 44))
		_ = binary.Write(w, binary.LittleEndian, samples)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
