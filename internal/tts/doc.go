// Package tts makes speech from texts once, before training, so that training never waits for it.
//
//	file ─> ReadTexts ─> Item ─> plan ─> Job ─> Engine ─> audio ─> WAV file ─> journal ─> manifest
//
// A Job is one text in one voice by one engine; its name is a hash of all of that, so the same speech is made
// once, and names depend neither on the order nor on the number of workers. A file appears
// under its name whole or not at all, and the journal says which have appeared: a run that was killed
// resumes where it stopped.
//
// An engine is one file and one line in Engines.
package tts
