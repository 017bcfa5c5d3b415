package rule

import (
	"slices"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// kernelCompilers are the decorators that hand all of a function to a compiler. Python runs no line of it: its loops are those of a
// kernel or of machine code, which launch nothing and wait for nothing.
var kernelCompilers = setOfNames(
	"numba.jit", "numba.njit", "numba.vectorize", "numba.guvectorize", "numba.stencil", "numba.cfunc", "numba.cuda.jit",
	"triton.jit", "taichi.kernel", "taichi.func", "taichi.real_func", "warp.kernel", "warp.func", "cupyx.jit.rawkernel",
)

// isKernel reports a function that a compiler takes whole, or that stands in one.
func (p *SourcePass) isKernel(fn *project.Function) bool {
	for ; fn != nil; fn = fn.Outer {
		if slices.ContainsFunc(fn.Decorators(), func(d pysrc.Expr) bool { return p.compilesKernels(fn.Module, d) }) {
			return true
		}
	}
	return false
}

// compilesKernels reports a decorator of such a compiler, also one that stands in for it where its library is missing.
func (p *SourcePass) compilesKernels(m *project.Module, decorator pysrc.Expr) bool {
	if c, ok := decorator.(*pysrc.Call); ok {
		decorator = c.Func
	}
	v := p.eval.Of(m, decorator)
	return kernelCompilers[v.Name] || slices.ContainsFunc(v.Either, func(v Value) bool { return kernelCompilers[v.Name] })
}
