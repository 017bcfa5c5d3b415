package mel

import (
	"strconv"
	"testing"
)

// BenchmarkClip measures a clip of 30 s, warm, on one core.
func BenchmarkClip(b *testing.B) {
	s := pcm("voice", 480000, voice())
	for _, level := range Levels() {
		for _, mels := range []int{80, 128} {
			x, err := NewAt(Whisper(mels), level)
			if err != nil {
				b.Fatal(err)
			}
			half := make([]uint16, mels*3000)
			for form, in := range s.forms() {
				b.Run(string(level)+"/"+strconv.Itoa(mels)+"/"+form, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := x.Half(half, in, 480000); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
