package mel

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"
)

// TestFiltersAreOpenAIs compares the bank with openai-whisper's assets/mel_filters.npz, of which
// these are the SHA-256 of the arrays mel_80 and mel_128 (release 20250625), whose zeros of either
// sign are taken as plain zeros.
func TestFiltersAreOpenAIs(t *testing.T) {
	for mels, want := range map[int]string{
		80:  "85818f156f7e189453901a515e4726d270d307f976e161cf9403e8caab405498",
		128: "e399c2d72d2f7375e503c296d8453cefcc0c1e47a9c1a0a09e0d70f59c820f20",
	} {
		var dense []byte
		for _, f := range Whisper(mels).filters() {
			row := make([]float32, 201)
			copy(row[f.first:], f.weights)
			text, err := binary.Append(nil, binary.LittleEndian, row)
			if err != nil {
				t.Fatal(err)
			}
			dense = append(dense, text...)
		}
		sum := sha256.Sum256(dense)
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%d bands: the filters' bits have the sum %s, want %s", mels, got, want)
		}
	}
}

// TestSegmentsAreTheFilters sums a random-looking spectrum both ways, also for banks with filters
// too narrow to hold a frequency.
func TestSegmentsAreTheFilters(t *testing.T) {
	for _, p := range []Params{Whisper(80), Whisper(128), {SampleRate: 8000, NFFT: 64, Mels: 60, FMin: 300, FMax: 3000}} {
		bank := p.filters()
		counts, taps := segments(bank, func(k int) int32 { return int32(k) })
		power := func(k int) float64 { return float64((k*7919+13)%101) + 1 }
		got := make([]float64, p.Mels+2)
		i := 0
		for s, n := range counts {
			for range n {
				t := taps[i]
				got[s] += float64(t.fall) * power(int(t.at))
				got[s+1] += float64(t.rise) * power(int(t.at))
				i++
			}
		}
		if i != len(taps) {
			t.Errorf("%d taps, %d in the counts", len(taps), i)
		}
		for m, f := range bank {
			want := 0.0
			for j, w := range f.weights {
				want += float64(w) * power(f.first+j)
			}
			if d := got[m+1] - want; d > 1e-9 || d < -1e-9 {
				t.Errorf("%d bands: band %d has %g, want %g", p.Mels, m, got[m+1], want)
			}
		}
	}
}
