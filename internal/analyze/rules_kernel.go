package analyze

import (
	"fmt"
	"strings"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/trace"
)

// What the kernels themselves could do better.
var (
	noTensorCores = Rule{
		Rule: finding.Rule{
			Code: "TRC118", Name: "matmul-without-tensor-cores", Severity: finding.Warning, Subject: finding.Precision,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "matrix products do not use the tensor cores",
			Why:    "Tensor cores multiply TF32, BF16 and FP16 many times faster than other units multiply FP32.",
			Advice: "Use BF16 (torch.autocast), or at least TF32 (torch.set_float32_matmul_precision(\"high\")).",
			WhatIf: []string{"precision=bf16", "precision=tf32"},
			Cures:  []string{"no-autocast", "tf32-off", "hf-full-precision", "lightning-precision-32", "fp32-matmul-default"},
		},
		check: func(p *pass) {
			var without, all int64
			var worst *kernelSum
			for _, k := range p.sums {
				all += k.total
				if k.units == NoTensorCores {
					without += k.total
					if worst == nil {
						worst = k
					}
				}
			}
			major := p.capability()
			if share(without, all) < 0.05 || major > 0 && major < 7 { // which has none
				return
			}
			f := p.report(without/2, "half of these kernels' time in this trace: tensor cores are at least twice as fast", p.t.Interval(worst.longest),
				[]string{fmt.Sprintf("%s of it in %s", human.Nanoseconds(worst.total), shortKernel(p.t.String(worst.name)))},
				"%s of the kernels' time (%s) is matrix products without tensor cores", human.Percent(share(without, all)), p.perStep(without))
			if major == 7 {
				f.Advice = "Use FP16 (torch.autocast with dtype=torch.float16, and a GradScaler): the tensor cores of this GPU support neither BF16 nor TF32."
			}
		},
	}
	unfusedAttention = Rule{
		Rule: finding.Rule{
			Code: "TRC119", Name: "unfused-attention", Severity: finding.Advice, Subject: finding.Attention,
			Areas:  []finding.Area{finding.ComputeArea},
			Title:  "attention is computed in separate kernels",
			Why:    "Separate kernels for products and softmax write the whole attention matrix to memory and read it back.",
			Advice: "Use torch.nn.functional.scaled_dot_product_attention.",
			Cures:  []string{"manual-attention", "eager-attention", "attention-weights-unused"},
		},
		check: func(p *pass) {
			softmax, products := p.operator("aten::_softmax"), p.operator("aten::bmm")
			if softmax.Count == 0 || products.Count < 2*softmax.Count || p.part(softmax.DeviceTotalNS) < 0.01 {
				return
			}
			p.report(softmax.DeviceTotalNS, "time of the softmax kernels in this trace; the fused kernel saves more", trace.Interval{}, nil,
				"%s softmax calls and %s batched products take %s on the GPU", human.Count(softmax.Count),
				human.Count(products.Count),
				p.perStep(softmax.DeviceTotalNS+products.DeviceTotalNS))
		},
	}
	castsAndCopies = Rule{
		Rule: finding.Rule{
			Code: "TRC120", Name: "casts-and-copies", Severity: finding.Advice, Subject: finding.Kernels,
			Areas:  []finding.Area{finding.ComputeArea},
			Title:  "copying and casting tensors takes much GPU time",
			Why:    "autocast casts weights and activations again and again, and non-contiguous tensors are copied; both only move memory.",
			Advice: "Let torch.compile fuse the casts, keep weights in BF16 where training allows it, and avoid transposes that force copies.",
			WhatIf: []string{"launch=compile"},
			Cures:  []string{"no-torch-compile"},
		},
		check: func(p *pass) {
			moved := p.operator("aten::copy_").DeviceSelfNS - p.copiedOverTheBus()
			if share(moved, p.gpu.busy.span.BusyNS) < 0.10 {
				return
			}
			p.report(moved/2, "half of these kernels' time in this trace", trace.Interval{}, []string{fmt.Sprintf("%.0f calls of aten::copy_%s, %.0f of them casts (aten::_to_copy)",
				float64(p.operator("aten::copy_").Count)/p.stepCount(), p.aStep(), float64(p.operator("aten::_to_copy").Count)/p.stepCount())},
				"Copying and casting take %s of the GPU's busy time (%s)", human.Percent(share(moved, p.gpu.busy.span.BusyNS)), p.perStep(moved))
		},
	}
	layoutChanges = Rule{
		Rule: finding.Rule{
			Code: "TRC121", Name: "layout-changes", Severity: finding.Advice, Subject: finding.Layout,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "convolutions change the memory layout back and forth",
			Why:    "cuDNN computes in NHWC; it transposes NCHW tensors before and after.",
			Advice: "Use memory_format=torch.channels_last for the model and its input.",
			Cures:  []string{"channels-last"},
		},
		check: func(p *pass) {
			var ns int64
			var longest trace.Interval
			for _, k := range p.sums {
				if name := p.t.String(k.name); strings.Contains(name, "nchwToNhwc") || strings.Contains(name, "nhwcToNchw") {
					ns += k.total
					if i := p.t.Interval(k.longest); i.Length() > longest.Length() {
						longest = i
					}
				}
			}
			if share(ns, p.gpu.busy.span.BusyNS) < 0.02 {
				return
			}
			p.report(ns, "time of these kernels in this trace", longest, nil,
				"Changing layouts takes %s of the GPU's busy time (%s)", human.Percent(share(ns, p.gpu.busy.span.BusyNS)), p.perStep(ns))
		},
	}
	fewBlocks = Rule{
		Rule: finding.Rule{
			Code: "TRC122", Name: "kernels-too-small-for-the-gpu", Severity: finding.Advice, Subject: finding.Kernels,
			Areas: []finding.Area{finding.ComputeArea}, NeedsGPU: true,
			Title:  "kernels fill only part of the GPU",
			Why:    "A kernel with fewer blocks than the GPU has multiprocessors leaves the others idle.",
			Advice: "Use larger batches, as far as memory allows.",
			Cures:  []string{"batch-size-one", "tiny-micro-batch-big-accum"},
		},
		check: func(p *pass) {
			var small, all int64
			var worst *kernelSum
			for _, k := range p.sums {
				if k.seen == 0 || p.meanings[k.name]&isComm != 0 { // a collective needs few blocks, however large the batch
					continue
				}
				all += k.total
				if k.blocks > 0 && k.blocks/k.seen < 0.5 {
					small += k.total
					if worst == nil {
						worst = k
					}
				}
			}
			if share(small, all) < 0.25 {
				return
			}
			p.report(0, "measure what a larger batch gains", p.t.Interval(worst.longest), []string{"most of it in " + shortKernel(p.t.String(worst.name))},
				"%s of the kernels' time is in kernels with fewer than half as many blocks as multiprocessors", human.Percent(share(small, all)))
		},
	}
	gradientFills = Rule{
		Rule: finding.Rule{
			Code: "TRC123", Name: "gradients-filled-with-zeros", Severity: finding.Advice, Subject: finding.Gradients,
			Areas:  []finding.Area{finding.ComputeArea, finding.HostArea},
			Title:  "zero_grad fills gradients with zeros",
			Why:    "With set_to_none=False a kernel overwrites every gradient, and the first backward pass adds to it instead of writing it.",
			Advice: "Call zero_grad() with its default, set_to_none=True.",
			Cures:  []string{"zero-grad-keeps-zeros"},
		},
		check: func(p *pass) {
			count, when := 0, trace.Interval{}
			var ns int64
			for _, id := range p.gpu.work {
				if call, ok := p.t.Launch(id); ok && p.inside(call, isZeroGrad) {
					count++
					ns += p.t.Duration(id)
					when = p.t.Interval(id)
				}
			}
			if float64(count) < 10*p.stepCount() {
				return
			}
			p.report(ns, "time of these kernels in this trace", when, nil,
				"zero_grad launches %.0f kernels%s, which take %s", float64(count)/p.stepCount(), p.aStep(), p.perStep(ns))
		},
	}
)

// capability is the major number of the GPU's compute capability; 0 when unknown.
func (p *pass) capability() int {
	for _, gpu := range p.t.Meta().GPUs {
		if gpu.Device == p.gpu.device {
			return gpu.Major
		}
	}
	return 0
}

// operator is the sum of the operator of that name.
func (p *pass) operator(name string) Operator {
	for id := range p.ops {
		if p.ops[id].Count > 0 && p.t.String(trace.NameID(id)) == name {
			return p.ops[id]
		}
	}
	return Operator{}
}

// copiedOverTheBus is the time of aten::copy_ that goes to the host or comes from it: no cast makes these.
func (p *pass) copiedOverTheBus() (ns int64) {
	for i := range p.gpus {
		for _, id := range p.gpus[i].work {
			if c := p.classOf(id); c != copyIn && c != copyOut {
				continue
			}
			if op, ok := p.t.Operator(id); ok && p.t.Name(op) == "aten::copy_" {
				ns += p.clip(id).Length()
			}
		}
	}
	return ns
}

// shortKernel is a kernel's name without its template arguments.
func shortKernel(name string) string {
	name = strings.TrimPrefix(name, "void ")
	if i := strings.IndexByte(name, '<'); i > 0 {
		name = name[:i]
	}
	if i := strings.IndexByte(name, '('); i > 0 && !strings.HasPrefix(name[i:], "(anonymous") {
		name = name[:i]
	}
	return name
}
