package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// costlyOften reports work of seconds that a training loop does on the CPU every few steps, itself or in a function that it
// calls: sound from spectrograms, embeddings in the plane, scores of hearing.
func (p *SourcePass) costlyOften() {
	if !p.runsOnGPU() && !p.usesJAX() || p.Module.Role == project.Test {
		return
	}
	said := map[pysrc.Stmt]bool{} // one finding for a branch
	for _, s := range p.besideTraining() {
		stmt := p.Module.StatementAt(s.Node.Start)
		every := p.atLeastEvery(s)
		if every < 1 || every > often || said[stmt] {
			continue
		}
		if _, always := p.EachStep(s); every == 1 && !always {
			continue // behind a test that is not known, or once in an epoch
		}
		costly := s
		if !takesSeconds(s) {
			costly = nil
			for _, fn := range runsFunctions(s) {
				if path, ok := p.Reaches(fn, takesSeconds, 2); ok {
					costly = path.Calls[len(path.Calls)-1]
				}
			}
		}
		if costly == nil {
			continue
		}
		said[stmt] = true
		p.Report(s.Node.Func, likely).Because(p.In(costly.Module()).At(costly.Node, "this takes long")).Because(valuesOf(p.intervalsAround(s))...).
			Saying("%s runs on the CPU %s while training waits", project.LastOf(costly.Name()), everySteps(every)).
			Advising("Do it once in a thousand steps or once per epoch, or save the arrays and compute in another process.")
	}
}

// takesSeconds reports a call that takes a large part of a second, or more, on the CPU.
func takesSeconds(s *project.Site) bool {
	found := false
	s.EachPossible(func(v *project.Value) {
		found = found || strings.HasPrefix(v.Name, "librosa.feature.inverse.") || slices.Contains(secondsLong, v.Name)
	})
	return found
}

var secondsLong = []string{
	"librosa.griffinlim", "librosa.core.griffinlim", "librosa.griffinlim_cqt", "pyworld.synthesize",
	"sklearn.manifold.TSNE.fit_transform", "sklearn.manifold.TSNE.fit", "umap.UMAP.fit_transform", "umap.UMAP.fit",
	"sklearn.cluster.KMeans.fit", "sklearn.cluster.KMeans.fit_predict", "sklearn.svm.SVC.fit",
	"pesq.pesq", "pystoi.stoi", "scipy.linalg.sqrtm",
}
