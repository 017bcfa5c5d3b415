package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// tfMaps reports the maps of a tf.data pipeline for JAX that decode one sample after the other.
func (p *SourcePass) tfMaps() {
	if !p.feedsJAX() {
		return
	}
	for _, c := range p.MethodCalls("map", "interleave") {
		if c.Node.Keyword("num_parallel_calls") != nil || !p.tfPipeline(c) || p.EvaluationOnly(c) {
			continue
		}
		fn := p.eval.Handed(c.Site)
		if c.Method() == "interleave" {
			if len(c.Node.Args) < 4 && fn.Name == "tensorflow.data.TFRecordDataset" {
				p.Report(c, likely).Saying("one thread reads all files").
					Advising("Add num_parallel_calls=tf.data.AUTOTUNE.")
			}
			continue
		}
		if fn.Func == nil || len(c.Node.Args) > 1 {
			continue
		}
		if way, heavy := p.Reaches(fn.Func, decodesInTF, 3); heavy {
			p.Report(c, likely*way.Sure).Because(way).Saying("one thread prepares all samples").
				Advising("Add num_parallel_calls=tf.data.AUTOTUNE, so that several samples are prepared at once.")
		}
	}
}

// decodesInTF reports an operation of TensorFlow that takes long for a sample.
func decodesInTF(s *project.Site) bool {
	name := s.Name()
	return strings.HasPrefix(name, "tensorflow.image.") || strings.HasPrefix(name, "tensorflow.audio.") ||
		strings.HasPrefix(name, "tensorflow.signal.") || strings.HasPrefix(name, "tensorflow.io.decode_") ||
		name == "tensorflow.py_function" || name == "tensorflow.numpy_function"
}

// tfWithoutPrefetch reports tf.data pipelines for JAX that prepare a batch only when a step asks for it.
func (p *SourcePass) tfWithoutPrefetch() {
	if !p.feedsJAX() {
		return
	}
	said := map[*project.Function]bool{}
	for _, c := range p.MethodCalls("batch") {
		if said[c.Func] || !p.tfPipeline(c) || p.EvaluationOnly(c) || p.prefetches(c.Func, 0) {
			continue
		}
		said[c.Func] = true
		p.Report(c, likely).AnyVersion().Saying("no batch is prepared ahead: the pipeline does not prefetch").
			Advising("End the pipeline with .prefetch(tf.data.AUTOTUNE).")
	}
}

// prefetches reports whether a function, or one that calls it, prepares ahead what it gets.
func (p *SourcePass) prefetches(fn *project.Function, depth int) bool {
	return slices.ContainsFunc(fn.Sites, func(s *project.Site) bool {
		return strings.Contains(lastName(s.Node.Func), "prefetch")
	}) || depth < 3 && slices.ContainsFunc(p.Project.Callers(fn), func(s *project.Site) bool {
		return p.prefetches(s.Func, depth+1)
	})
}

// feedsJAX reports a module with a pipeline of TensorFlow whose batches a training in JAX takes.
func (p *SourcePass) feedsJAX() bool {
	return p.Imports("tensorflow") && p.Module.Role != project.Test && slices.ContainsFunc(p.Near(), func(m *project.Module) bool {
		return p.In(m).usesJAX()
	}) && p.Project.Trains()
}
