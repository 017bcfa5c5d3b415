package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
	for _, c := range []struct{ name, body, want, refused string }{
		{
			"transposed", `
    waves, labels = zip(*samples)
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "",
		},
		{
			"listed", `
    labels = [label for _, label in samples]
    features = extractor([wave for wave, _ in samples], sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda samples: extractor([wave for wave, _ in samples], sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"samples": samples})`, "",
		},
		{
			"collected", `
    waves, labels = [], []
    for wave, label in samples:
        waves.append(wave)
        labels.append(label)
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "",
		},
		{
			"some of them", `
    labels = [label for _, label in samples]
    waves = [wave for wave, label in samples if label]
    features = extractor(waves, sampling_rate=16000, return_tensors="pt").input_features`,
			`lambda waves: extractor(waves, sampling_rate=16000, return_tensors="pt").input_features, extractor, rows={"waves": waves})`, "",
		},
		{
			"the first, and each in order", `
    samples = sorted(samples, key=len)
    labels = [label for _, label in samples[:2]]
    features = extractor(samples[0][0], sampling_rate=16000, return_tensors="pt").input_features`,
			`kept("features", lambda: extractor(samples[0][0], sampling_rate=16000, return_tensors="pt").input_features, extractor, samples[0][0])`, "",
		},
		{
			"joined", `
    labels = [label for _, label in samples]
    wave = np.concatenate([wave for wave, _ in samples])
    features = extractor(wave, sampling_rate=16000, return_tensors="pt").input_features`,
			"", "depends on a whole batch (wave)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "train.py")
			if err := os.WriteFile(path, []byte(strings.Replace(collating, "%s", strings.TrimPrefix(c.body, "\n"), 1)), 0o644); err != nil {
				t.Fatal(err)
			}
			r, refused := repaired(t, dir)
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
