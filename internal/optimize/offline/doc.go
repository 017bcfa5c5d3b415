// Package offline moves work that is the same in every epoch out of the path of a sample: speech that is synthesised
// while the data is loaded, features, decoding, resampling and resizing.
//
//		finding ─> levels ─> cut ─> inputs, draws ─> join ─> edits, helper, script
//
//	 1. levels  the calls from the data set's __getitem__ to the call that a rule found (level.go)
//	 2. cut     the outermost expression on that way that draws no random number, or a run of statements where
//	    the audio goes through a file or buffer (cut.go, climb.go, region.go)
//	 3. inputs  what decides its value: variables, attributes, constants (inputs.go, names.go)
//	 4. draws   a voice that is chosen at random stays where it is; the script goes through the choices (draw.go)
//	    code that is given a batch keeps each row on its own: in each epoch a batch has other samples (rows.go, holding.go)
//	 5. join    features of speech that is kept: one run of statements, so that neither is made twice (join.go)
//	 6. edits   kept("speech", lambda: speak(text, voice), text, voice) in place of speak(text, voice) (render.go),
//	    with the module saturate_offline and the script that makes the files (emit.go), which import saturate_gpu or
//	    hold its code (runtime.go), and a line where the project lists what it needs (require.go)
//
// Features of Whisper (whisper.go) need not be the user's own: saturate_gpu.whisper_features records what their
// extractor is given, has `saturate mel` build all of them into one file of FP16, and compares. The edits are the same;
// a flag of the script decides.
//
// Images (transform.go) are kept after the transforms at the head of a torchvision Compose, which only the program
// knows: the runtime splits the Compose when it is called.
//
// The user's own code makes the files, called by the user's own training program, which the script stops before its
// first step. So the samples are the same bit for bit, with any engine, and a text that is not among the files is
// made during training. What cannot be cut safely is a Refusal: the reason, a scaffold, and what to do by hand.
package offline
