package rule

import "saturate/internal/project"

// featuresAfterRandom finds features that are computed for each sample behind a random change, so that they cannot be
// cached.
var featuresAfterRandom = Rule{
	Code: "SAT126", Name: "features-after-random", Severity: Advice, Subject: AboutLoading,
	Areas: []Area{DataArea, WorkersArea},
	Title: "features are computed for each sample, after a random change",
	What: "A dataset or transform draws at random (noise, crop, speed) and then computes a spectrogram, MFCC, " +
		"pitch or other features of the result, or resamples it with cubic splines; or it rotates, resizes, warps or blurs images with " +
		"scikit-image or SciPy, or converts their colors with scikit-image; or audiomentations shifts the pitch, and kornia warps one image at a time on the CPU. Transforms of torchvision, albumentations, OpenCV and Pillow that " +
		"change colors, blur, turn or bend: small, unless the workers of the loader give fewer than 1000 images a second with them.",
	Why: "The features differ in every epoch and cannot be cached, so the CPU computes them for each sample while " +
		"the GPU may wait. On one core, ColorJitter with hue takes 3 ms for 224 pixels, GaussianBlur(23) 11 ms, two views of contrastive " +
		"training 11 ms together, a JPEG 1.3 ms (peers/scan/costs_augment.py).",
	Fine: "Training that is limited by the GPU.",
	Advice: "Cache everything before the random change, and compute the features on the GPU, a batch at a time. Or " +
		"augment the features instead, as SpecAugment does, and cache the features.",
	Bad:  "def __getitem__(self, i):\n    return self.mel(add_noise(self.load(i)))",
	Good: "def __getitem__(self, i):\n    return spec_augment(self.mels[i])  # computed once, changed after",
	Source: func(p *SourcePass) {
		for _, call := range inOrder(append(p.features(), p.ownFeatures()...)) {
			path, ok := p.EverySampleWhere(call, func(path project.Path) bool {
				return (path.Kind == project.DataSet || path.Kind == project.Transform) && p.drawnInto(path, call)
			})
			if ok && len(p.sameInEachEpoch(call)) == 0 { // by another data set, which is the other rule's matter
				p.Report(call, likely*path.Sure).Because(path)
			}
		}
		p.splinesAfterRandom()
		p.soundsChanged()
		p.changedByObjects()
		p.imagesChanged()
		p.photosChanged()
		p.changedByTransforms()
	},
}

// splinesAfterRandom reports samples that are resized with cubic splines on the CPU, behind a random change.
func (p *SourcePass) splinesAfterRandom() {
	said := map[*project.Function]bool{}
	for _, call := range p.CallsTo("scipy.ndimage.zoom", "scipy.ndimage.affine_transform", "scipy.ndimage.map_coordinates") {
		order := call.Arg("order")
		if n, known := order.Int(); said[call.Func] || known && n < 3 || !known && !order.Missing() {
			continue
		}
		path, ok := p.EverySample(call)
		if !ok || path.Kind != project.DataSet && path.Kind != project.Transform || !p.RandomInto(path, call) {
			continue
		}
		said[call.Func] = true
		p.Report(call, likely*path.Sure).Because(path).
			Saying("%s resamples each sample with cubic splines on the CPU, after a random change", p.Short(call.Callee())).
			Advising("Resize once before training, and change at random after that; or resize on the GPU with torch.nn.functional.interpolate.")
	}
}
