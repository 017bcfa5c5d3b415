package offline

import "strings"

// whisper reports whether a value may hold the features of Whisper: an extractor or processor of transformers, or
// openai-whisper's own function, makes it, of speech that may be made there too. Whether it really does, and with which
// parameters, is seen when it runs.
func (c *cut) whisper() bool {
	for _, name := range c.code {
		library, rest, _ := strings.Cut(name, ".")
		switch {
		case library == "whisper" && strings.Contains(rest, "log_mel_spectrogram"):
			return true
		case library == "transformers" && (strings.Contains(rest, "FeatureExtractor") || strings.Contains(rest, "Processor") || strings.Contains(rest, "feature_extractor")):
			return true
		}
	}
	return false
}
