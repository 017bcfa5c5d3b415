package rule

import (
	"strconv"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// decodeWholeThenCrop finds audio files that are decoded whole for a window of them.
var decodeWholeThenCrop = Rule{
	Code: "SAT109", Name: "decode-whole-then-crop", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "a whole file is decoded to keep a part of it",
	What: "A dataset reads audio with torchaudio.load, soundfile.read, librosa.load, scipy, numpy.load or torch.load and keeps " +
		"only a window of it: right after reading, or later at a random start, in another function or in the collate " +
		"function. Also a video whose frames are all decoded with OpenCV, and a few of them kept, and a file " +
		"of many samples that is loaded for one of them.",
	Why:  "Decoding time grows with the length of the file, and everything outside the window is thrown away.",
	Fine: "Short files. Compressed formats where seeking decodes everything before the window.",
	Advice: "Read only the window: frame_offset and num_frames of torchaudio.load, start and frames of " +
		"soundfile.read, offset and duration of librosa.load. torchaudio.info and soundfile.info give the length of " +
		"a file.",
	Bad:    "wav, rate = torchaudio.load(path)\nwav = wav[:, :16000]",
	Good:   "wav, rate = torchaudio.load(path, num_frames=16000)",
	Safety: Safe,
	Source: func(p *SourcePass) {
		p.wholeVideos()
		later := map[*project.Function]bool{} // what one function loads is one finding
		for _, call := range p.CallsTo("torchaudio.load", "soundfile.read", "librosa.load", "librosa.core.load", "scipy.io.wavfile.read", "numpy.load", "torch.load") {
			path, ok := p.EverySample(call)
			if !ok || windowed(call) || readsOwnFile(call) || readsPipe(call) {
				continue
			}
			if later[call.Func] {
				continue
			}
			crop := p.cropOf(call)
			if crop == nil || readsArray(call) && p.randomCropOf(call, path) != nil {
				later[call.Func] = p.croppedLater(call, path)
				continue
			}
			r := p.Report(call, nearlyCertain*path.Sure).Because(path, crop)
			p.adviseMapping(r, call)
			if frames, ok := p.firstFrames(call, crop); ok {
				name := map[string]string{"torchaudio.load": "num_frames", "soundfile.read": "frames"}[call.Name()]
				if name != "" {
					r.Fix(Safe, "decode only the part that is kept", call.SetArg(name, strconv.FormatInt(frames, 10)))
				}
			}
		}
		p.wholeShards(later)
	},
}

// croppedLater reports a file that is loaded whole where a window of it with a random start is used.
func (p *SourcePass) croppedLater(call Call, path project.Path) bool {
	crop := p.randomCropOf(call, path)
	if crop == nil {
		return false
	}
	r := p.Report(call, likely*path.Sure).Because(path, *crop).Saying("a whole file is read to keep a random part of it")
	switch call.Name() {
	case "numpy.load":
		r.Advising("Pass mmap_mode=\"r\", which reads only the part that is cut out, or keep many arrays in one file.")
	case "torch.load":
		p.adviseMapping(r, call)
	case "scipy.io.wavfile.read":
		r.Advising("Pass mmap=True, or read the window with soundfile.read(path, start=…, frames=…).")
	}
	return true
}

// readsArray reports a call that loads an array or a tensor, and not a recording.
func readsArray(c Call) bool { return c.Name() == "numpy.load" || c.Name() == "torch.load" }

// adviseMapping says how a part of a file with an array is read.
func (p *SourcePass) adviseMapping(r *Report, call Call) {
	switch call.Name() {
	case "numpy.load":
		r.Advising("Keep each array in a .npy file of its own and pass mmap_mode=\"r\", which reads only the part that is cut out. " +
			"A compressed .npz is unpacked whole each time.")
	case "torch.load":
		r.Advising("Pass mmap=True, or keep the arrays in .npy files and open them with np.load(path, mmap_mode=\"r\"): both read only " +
			"the part that is cut out. torch.load unpickles the whole tensor.")
	}
}

// windowed reports a call that reads a window already, or may.
func windowed(c Call) bool {
	for _, name := range []string{"frame_offset", "num_frames", "frames", "start", "stop", "offset", "duration", "mmap_mode", "mmap"} {
		if c.Arg(name).Given() {
			return true
		}
	}
	return false
}

// readsOwnFile reports a function that reads what it has written itself.
func readsOwnFile(c Call) bool {
	for _, s := range c.Func.Sites {
		if strings.HasPrefix(s.Calls.Name, "tempfile.") {
			return true
		}
	}
	return false
}

// cropOf returns the slice of time that is the first use of the audio that a
// call loads, nil when something else comes first or the rest is used later.
func (p *SourcePass) cropOf(c Call) *pysrc.Subscript {
	assign, ok := p.Module.StatementAt(c.Node.Start).(*pysrc.Assign)
	if !ok || len(assign.Targets) != 1 {
		return nil
	}
	loaded := assign.Value
	if member, ok := loaded.(*pysrc.Subscript); ok && readsArray(c) { // np.load(path)["x"]
		loaded = member.Value
	}
	target := assign.Targets[0]
	if tuple, ok := target.(*pysrc.Tuple); ok && len(tuple.Elts) > 0 {
		target = tuple.Elts[0]
	} else if !readsArray(c) {
		return nil
	}
	audio, ok := target.(*pysrc.Name)
	if loaded != pysrc.Expr(c.Node) {
		return nil
	}
	fn := p.Function(c)
	if !ok || fn.Def == nil {
		return nil
	}
	uses := p.usesOf(audio.ID, fn, assign.End)
	if len(uses) == 0 {
		return nil
	}
	crop, ok := uses[0].parent.(*pysrc.Subscript)
	if !ok || crop.Value != pysrc.Expr(uses[0].name) || timeSlice(c, crop) == nil {
		return nil
	}
	if stmt, ok := p.Module.StatementAt(crop.Start).(*pysrc.Assign); ok && len(stmt.Targets) == 1 {
		if n, ok := stmt.Targets[0].(*pysrc.Name); ok && n.ID == audio.ID {
			return crop
		}
	}
	if len(uses) > 1 {
		return nil
	}
	return crop
}

// timeSlice returns the slice of time when it has a bound: of the last axis, or
// of the first with soundfile.
func timeSlice(c Call, s *pysrc.Subscript) *pysrc.Slice {
	x := s.Slice
	if t, ok := x.(*pysrc.Tuple); ok && len(t.Elts) > 0 {
		x = t.Elts[len(t.Elts)-1]
		if c.Name() == "soundfile.read" {
			x = t.Elts[0]
		}
	}
	if slice, ok := x.(*pysrc.Slice); ok && slice.Step == nil && (slice.Lower != nil || slice.Upper != nil) {
		return slice
	}
	return nil
}

// firstFrames is the number of frames of a slice [:n] with n known, in the same
// block as the call.
func (p *SourcePass) firstFrames(c Call, crop *pysrc.Subscript) (int64, bool) {
	slice := timeSlice(c, crop)
	if slice.Lower != nil || slice.Upper == nil || p.Module.BlockAt(c.Node.Start) != p.Module.BlockAt(crop.Start) {
		return 0, false
	}
	v := p.Eval(slice.Upper)
	n, ok := v.Int()
	return n, ok && n > 0 && v.Sure == project.Certain
}
