package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/run"
)

const collating = `
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset
from transformers import WhisperFeatureExtractor

extractor = WhisperFeatureExtractor()
names = ["one", "two"]


class Clips(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return np.zeros(16000, np.float32), index


def collate(samples):
%s
    return features, labels


model = torch.nn.Linear(80, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for features, labels in DataLoader(Clips(), batch_size=4, collate_fn=collate):
    loss = model(features.transpose(1, 2)).mean()
    loss.backward()
    optimizer.step()
`

// What is kept of a batch is kept row by row: a key of a whole batch would never be seen again.
func TestBatchesAreKeptByRow(t *testing.T) {
	costs := func(line int) []run.Function {
		return []run.Function{{Function: "collate", Path: "train.py", Line: line, Share: 0.9, Own: 0.9, Inside: "data"}}
	}
	for _, c := range []struct {
		name, body, want, refused string
		costs                     []run.Function
	}{
		{
			"transposed", `
    waves, labels = zip(*samples)
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "", nil,
		},
		{
			"listed", `
    labels = [label for _, label in samples]
    features = extractor([wave for wave, _ in samples], sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda samples: extractor([wave for wave, _ in samples], sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"samples": samples})`, "", nil,
		},
		{
			"collected", `
    waves, labels = [], []
    for wave, label in samples:
        waves.append(wave)
        labels.append(label)
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "", nil,
		},
		{
			"some of them", `
    labels = [label for _, label in samples]
    waves = [wave for wave, label in samples if label]
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "", nil,
		},
		{
			"the first, and each in order", `
    samples = sorted(samples, key=len)
    labels = [label for _, label in samples[:2]]
    features = extractor(samples[0][0], sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda: extractor(samples[0][0], sampling_rate=16000, return_tensors="pt").input_features, extractor, samples[0][0])`, "", nil,
		},
		{
			"joined", `
    labels = [label for _, label in samples]
    wave = np.concatenate([wave for wave, _ in samples])
    features = extractor(wave, sampling_rate=16000, return_tensors="pt").input_features`,
			"", "depends on a whole batch (wave)", nil,
		},
		{
			"seen to cost", `
    waves, labels = zip(*samples)
    features = torch.tensor(np.stack([np.log1p(np.abs(np.fft.rfft(wave))) for wave in waves]))`,
			"    def make_samples(waves):\n        return torch.tensor(np.stack([np.log1p(np.abs(np.fft.rfft(wave))) for wave in waves]))\n\n    features = saturate_offline.kept(\"samples\", make_samples, rows={\"waves\": waves})",
			"", costs(21),
		},
		{
			"seen to cost, of all", `
    waves, labels = zip(*samples)
    longest = max(len(wave) for wave in waves)
    features = torch.tensor(np.stack([np.pad(wave, (0, longest - len(wave))) for wave in waves]))`,
			"", "depends on a whole batch (longest)", costs(22),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "train.py")
			if err := os.WriteFile(path, []byte(strings.Replace(collating, "%s", strings.TrimPrefix(c.body, "\n"), 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			t.Chdir(dir)
			r, refused := repairedBy(t, ".", Options{Command: []string{"python", "train.py"}, Costs: c.costs})
			if c.refused != "" {
				if len(refused) != 1 || !strings.Contains(refused[0].Reason, c.refused) {
					t.Fatalf("refused %+v, want %q", refused, c.refused)
				}
				return
			}
			if len(refused) > 0 {
				t.Fatalf("refused: %s", refused[0].Reason)
			}
			apply(t, r)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), c.want) {
				t.Errorf("want %s in\n%s", c.want, text)
			}
		})
	}
}
