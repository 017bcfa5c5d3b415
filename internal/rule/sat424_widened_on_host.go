package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// widenedOnHost finds bytes that become float32 on the host, before they are copied to the GPU.
var widenedOnHost = Rule{
	Code: "SAT424", Name: "widened-on-host", Severity: Advice, Subject: AboutCopies,
	Areas: []Area{DataArea, TransferArea},
	Title: "bytes become float32 on the host, and four times as many are copied to the GPU",
	What: "In each training step, parts of an array of uint8 that an object keeps, such as the frames of a replay buffer, are turned " +
		"into float32 with astype, float() or dtype=. In a tf.data pipeline for JAX, images are cast to float32. A dataset gives " +
		"images as float32 (ToTensor, a division by 255), or decodes sound as float64 first.",
	Why:    "float32 takes four times the memory of bytes: in the CPU's caches, in pinned memory and on the bus. A GPU converts for free.",
	Fine:   "Small observations. Images that a random change on the host has made float32 already.",
	Advice: "Copy the bytes, and convert them on the GPU: x.to(device).float() / 255; in JAX, inside the jitted step.",
	Bad:    "x = torch.from_numpy(self.frames[i].astype(np.float32)).to(device)",
	Good:   "x = torch.from_numpy(self.frames[i]).to(device).float()",
	Source: func(p *SourcePass) {
		if p.Module.Role == project.Test {
			return
		}
		p.castInTF()
		p.imagesWidened()
		p.soundsNarrowed()
		if !p.runsOnGPU() && !p.usesJAX() {
			return
		}
		said := map[*project.Function]*Report{}
		for _, c := range p.widenings() {
			kept := p.keptBytes(c.of)
			if kept == nil {
				continue
			}
			way, hot := p.Hot(c)
			if !hot || p.EvaluationOnly(c) || p.Rare(c) != nil || p.rareOnTheWay(way) {
				continue
			}
			if r := said[c.Func]; r != nil {
				r.Too(p.At(c, "and here"))
				continue
			}
			said[c.Func] = p.Report(c, likely*way.Sure*max(p.GPU(), perhaps)).Because(way, p.At(kept, "they are bytes"))
		}
	},
}

// widening is a call that makes float32 of something.
type widening struct {
	Call
	of pysrc.Expr
}

// widenings are the calls of this module that make float32 of arrays: x.astype(np.float32), np.array(x, dtype=np.float32),
// torch.tensor(x, dtype=torch.float32), torch.from_numpy(x).float().
func (p *SourcePass) widenings() (list []widening) {
	for _, c := range p.MethodCalls("astype", "float") {
		of := c.Receiver()
		if c.Method() == "astype" && (len(c.Node.Args) != 1 || !isFloat32(c.Node.Args[0])) || c.Method() == "float" && len(c.Node.Args) > 0 {
			continue
		}
		if made, ok := of.(*pysrc.Call); ok && c.Method() == "float" && len(made.Args) == 1 && made.Keyword("device") == nil {
			if name := p.NameOf(made.Func); name == "torch.from_numpy" || name == "torch.as_tensor" || name == "torch.tensor" {
				of = made.Args[0]
			}
		}
		list = append(list, widening{c, of})
	}
	for _, c := range p.CallsTo("numpy.array", "numpy.asarray", "torch.tensor", "torch.as_tensor", "torch.FloatTensor", "jax.numpy.array", "jax.numpy.asarray") {
		k := c.Node.Keyword("dtype")
		if len(c.Node.Args) == 0 || c.Node.Keyword("device") != nil || (k == nil || !isFloat32(k.Value)) && c.Name() != "torch.FloatTensor" ||
			strings.HasPrefix(c.Name(), "jax.") { // which converts on the device
			continue
		}
		list = append(list, widening{c, c.Node.Args[0]})
	}
	return list
}

// isFloat32 reports np.float32, torch.float32, tf.float32, jnp.float32 and "float32".
func isFloat32(e pysrc.Expr) bool {
	text, _ := pysrc.StringValue(e)
	return text == "float32" || lastName(e) == "float32" || isNamed(e, "float")
}

// keptBytes is where an object makes the array of uint8 that an expression takes parts of: self.frames[i]. It is nil for anything
// else.
func (p *SourcePass) keptBytes(e pysrc.Expr) pysrc.Expr {
	part, ok := e.(*pysrc.Subscript)
	if name, named := e.(*pysrc.Name); named {
		part, ok = p.Module.SaidLast(name).(*pysrc.Subscript)
	}
	if !ok {
		return nil
	}
	if _, constant := part.Slice.(*pysrc.Constant); constant {
		return nil
	}
	field, ok := part.Value.(*pysrc.Attribute)
	fn := p.Function(e)
	if !ok || fn.Class == nil || !isNamed(field.Value, fn.Self()) {
		return nil
	}
	for _, set := range p.Module.Assignments {
		target, ok := set.Target.(*pysrc.Attribute)
		if !ok || set.Func.Class != fn.Class || target.Attr != field.Attr || !isNamed(target.Value, set.Func.Self()) {
			continue
		}
		if made, ok := set.Value.(*pysrc.Call); ok && p.fillsBytes(made) {
			return made
		}
	}
	return nil
}

// fillsBytes reports np.zeros(shape, dtype=np.uint8) and its like, on the host.
func (p *SourcePass) fillsBytes(c *pysrc.Call) bool {
	library, last, _ := cutLast(p.NameOf(c.Func))
	if (library != "numpy" && library != "torch") || !creators[last] || c.Keyword("device") != nil {
		return false
	}
	types := c.Args
	if k := c.Keyword("dtype"); k != nil {
		types = []pysrc.Expr{k.Value}
	}
	return slices.ContainsFunc(types, func(e pysrc.Expr) bool {
		if choice, ok := e.(*pysrc.IfExp); ok {
			return isUint8(choice.Body) || isUint8(choice.Orelse)
		}
		return isUint8(e)
	})
}

func isUint8(e pysrc.Expr) bool {
	text, _ := pysrc.StringValue(e)
	return text == "uint8" || lastName(e) == "uint8"
}

// castInTF reports images that a pipeline of TensorFlow casts to float32 for a training in JAX.
func (p *SourcePass) castInTF() {
	if !p.feedsJAX() || !p.trained() && len(p.TrainingLoops()) == 0 || p.NearSays("mnist", "cifar") { // a few kilobytes
		return
	}
	said := map[*project.Function]bool{}
	for _, c := range p.MethodCalls("map") {
		if !p.tfPipeline(c) || p.EvaluationOnly(c) {
			continue
		}
		handed := p.eval.Handed(c.Site)
		for _, v := range append([]Value{handed}, handed.Either...) {
			if fn := v.Func; fn != nil && fn.Module == p.Module && !said[fn] {
				said[fn] = true
				p.castInMap(c, fn)
			}
		}
	}
}

// castInMap reports the first image that the function of a map casts to float32.
func (p *SourcePass) castInMap(c Call, fn *project.Function) {
	for _, s := range fn.Sites {
		name := s.Name()
		if name != "tensorflow.cast" && name != "tensorflow.image.convert_image_dtype" || len(s.Node.Args) < 2 || !isFloat32(s.Node.Args[1]) ||
			!p.isImageOf(fn, s.Node.Args[0]) {
			continue
		}
		p.Report(s.Node, likely).Because(p.At(c, "for every sample")).
			Saying("images become float32 in the pipeline, and four times the bytes go to the device").
			Advising("Give the batches as uint8, and convert them inside the jitted step.")
		return
	}
}

// isImageOf reports a variable of a function that holds an image: decoded, resized or cropped there, or the image of a record.
func (p *SourcePass) isImageOf(fn *project.Function, e pysrc.Expr) bool {
	name, ok := e.(*pysrc.Name)
	values := []pysrc.Expr{e}
	if ok {
		values = p.assignments(name.ID, fn)
	}
	return slices.ContainsFunc(values, func(v pysrc.Expr) bool {
		switch v := v.(type) {
		case *pysrc.Call:
			of := p.NameOf(v.Func)
			return strings.HasPrefix(of, "tensorflow.image.") || strings.HasPrefix(of, "tensorflow.io.decode_")
		case *pysrc.Subscript:
			key, _ := pysrc.StringValue(v.Slice)
			return key == "image"
		}
		return false
	})
}
