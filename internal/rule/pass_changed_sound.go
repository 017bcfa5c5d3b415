package rule

import (
	"maps"
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// soundChanges are changes of a whole recording that take as long as decoding it many times over, by what they do.
var soundChanges = map[string]string{
	"librosa.effects.pitch_shift":                 "shifts the pitch through a phase vocoder and a resampler",
	"librosa.effects.time_stretch":                "stretches the sound through a phase vocoder",
	"librosa.effects.hpss":                        "separates the sound by median filters",
	"torchaudio.functional.pitch_shift":           "shifts the pitch through a phase vocoder and a resampler",
	"torchaudio.sox_effects.apply_effects_tensor": "runs a chain of sox effects",
	"torchaudio.sox_effects.apply_effects_file":   "runs a chain of sox effects",
	"pyrubberband.pitch_shift":                    "starts a program that shifts the pitch",
	"pyrubberband.time_stretch":                   "starts a program that stretches the sound",
	"noisereduce.reduce_noise":                    "estimates and removes the noise",
	"pyroomacoustics.ShoeBox.simulate":            "simulates a room",
	"pyroomacoustics.room.ShoeBox.compute_rir":    "simulates a room",
	"rir_generator.generate":                      "simulates a room",
	"audiomentations.PitchShift":                  "shifts the pitch through a phase vocoder and a resampler",
	"audiomentations.TimeStretch":                 "stretches the sound through a phase vocoder",
	"audiomentations.RoomSimulator":               "simulates a room",
	"audiomentations.Mp3Compression":              "encodes and decodes the sound",
	"torch_audiomentations.PitchShift":            "shifts the pitch through a phase vocoder",
	"scipy.signal.convolve2d":                     "convolves directly, point by point",
	"numpy.convolve":                              "convolves directly, point by point",
}

var soundChangers = slices.Sorted(maps.Keys(soundChanges))

// soundsChanged reports sounds that every sample changes on the CPU in a costly way, drawn anew each time.
func (p *SourcePass) soundsChanged() {
	said := map[*project.Function]bool{}
	for _, call := range p.CallsTo(soundChangers...) {
		name := call.Name()
		if said[call.Func] || name == "numpy.convolve" && !p.convolvesRoom(call) {
			continue
		}
		path, ok := p.EverySample(call)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform {
			continue
		}
		said[call.Func] = true
		r := p.Report(call, likely*path.Sure).Because(path).Saying("%s %s, for every sample on the CPU", p.Short(call.Callee()), soundChanges[name])
		if name == "numpy.convolve" {
			r.Advising("Use scipy.signal.fftconvolve, which takes the way through the spectrum, or torchaudio.functional.fftconvolve on the GPU.")
		} else {
			r.Advising("Prepare some variants of each recording before training and draw among them, or change whole batches on the GPU.")
		}
	}
}

// changedByObjects reports transforms of sounds, and those of kornia, that were made once and that every sample runs on the CPU: one
// finding for a transform, which names its slow parts.
func (p *SourcePass) changedByObjects() {
	slow := func(name string) bool {
		of, ok := strings.CutPrefix(name, "kornia.augmentation.")
		return ok && slowKornia[of] || soundChanges[name] != ""
	}
	for _, fn := range p.Module.Functions {
		for _, s := range fn.Sites {
			var made []*project.Site
			p.eachMayBeCalled(s, func(v *Value) {
				if made == nil {
					made = p.partsNamed(*v, slow)
				}
			})
			if made == nil || s.Calls.Kind == project.Type || made[0].Func == fn && fn.Def != nil {
				continue
			}
			path, ok := p.EverySample(s)
			if !ok || path.Kind != project.DataSet && path.Kind != project.Transform {
				continue
			}
			does := soundChanges[made[0].Calls.Name]
			if does == "" {
				does = "changes one image after the other"
			}
			r := p.Report(s, likely*path.Sure).Because(path).Saying("%s %s, for every sample on the CPU", project.LastOf(made[0].Calls.Name), does).
				Advising("Change whole batches on the GPU (torch_audiomentations, kornia), or prepare some variants of each sample before training.")
			for _, part := range made {
				r.Too(p.In(part.Module()).At(part.Node, "made here"))
			}
		}
	}
}

// slowKornia are the transforms of kornia that compute on each point of an image and its neighbors, or convert its colors.
var slowKornia = setOfNames("ColorJitter", "ColorJiggle", "RandomAffine", "RandomPerspective", "RandomRotation", "RandomElasticTransform",
	"RandomThinPlateSpline", "RandomFisheye", "RandomResizedCrop", "RandomGaussianBlur", "RandomMotionBlur", "RandomBoxBlur", "RandomMedianBlur", "RandomHue")

// convolvesRoom reports np.convolve(wave, kernel) with a kernel that may be long. A smoothing filter costs nothing; the impulse
// response of a room costs thousands of operations for each point.
func (p *SourcePass) convolvesRoom(c Call) bool {
	if len(c.Node.Args) < 2 {
		return false
	}
	long := false
	look := func(e pysrc.Expr) {
		pysrc.Inspect(e, func(n pysrc.Node) bool {
			if x, ok := n.(*pysrc.Call); ok {
				switch p.NameOf(x.Func) {
				case "numpy.exp", "numpy.random.randn", "numpy.random.normal", "numpy.load", "soundfile.read", "librosa.load", "scipy.io.wavfile.read":
					long = true
				}
			}
			return !long
		})
	}
	kernel := c.Node.Args[1]
	look(kernel)
	pysrc.Inspect(kernel, func(n pysrc.Node) bool {
		if name, ok := n.(*pysrc.Name); ok && !long {
			for _, value := range assignedIn(c.Func, name.ID) {
				look(value)
			}
		}
		return !long
	})
	return long
}
