// Package examples holds the training project that the demo repairs.
package examples

import "embed"

// WhisperTTS is the project with the usual mistakes, below a folder of its name.
//
//go:embed whisper-tts/*.py whisper-tts/*.yaml whisper-tts/*.txt whisper-tts/*.json whisper-tts/README.md
var WhisperTTS embed.FS
