package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// registered are the modules with classes and functions that a decorator of another module keeps by a name, by that module:
// who asks it for a class may get any of them. The decorator may be a method of an object, @MODELS.register, which belongs to
// the module of its class and to the one that makes it. One of a library, @register_model("unet"), serves those that ask the
// same library. What a module imports by a name that is not written out is asked for like that, too.
func (p *Project) registered() map[*Module][]*Module {
	by := map[*Module][]*Module{}
	ofLibrary := map[string][]*Module{}
	e := p.NewEval()
	defer e.Release()
	for _, m := range p.Modules {
		if m.Role == Test {
			continue
		}
		add := func(keeper *Module) {
			if keeper != nil && keeper != m && !slices.Contains(by[keeper], m) {
				by[keeper] = append(by[keeper], m)
			}
		}
		keep := func(decorators []pysrc.Expr, sc *Scope) {
			for _, d := range decorators {
				call, called := d.(*pysrc.Call)
				if called {
					d = call.Func
				}
				method, ok := d.(*pysrc.Attribute)
				if !called && !ok || !called && plainDecorators[method.Attr] {
					continue // @property, and @torch.no_grad
				}
				e.steps = mostSteps
				f := e.expr(d, sc)
				switch {
				case f.Func != nil:
					add(f.Func.Module)
					if ok {
						if of := e.expr(method.Value, sc); of.Made != nil && of.Kind == Instance {
							add(of.Made.Module())
						}
					}
				case strings.HasPrefix(lastName(d), "register") && f.outsideName():
					library := firstOf(f.Name)
					ofLibrary[library] = append(ofLibrary[library], m)
				}
			}
		}
		for _, s := range m.Sites {
			if importsByName(s.Calls.Name, s.Node) {
				e.steps = mostSteps
				for _, v := range e.modulesByName(s.Node.Args[0], s.scope()) {
					if v.Module != nil {
						by[m] = append(by[m], v.Module)
					}
				}
			}
		}
		for _, c := range m.Classes {
			keep(c.Def.Decorators, c.outer)
		}
		for _, f := range m.Functions {
			if f.Class == nil && f.Outer == m.Main && f.Def != nil {
				keep(f.Decorators(), f.Scope.Parent)
			}
		}
	}
	for library, kept := range ofLibrary {
		for _, m := range p.Modules {
			if m.imports[library] && p.Starts(m) {
				by[m] = append(by[m], kept...)
			}
		}
	}
	return by
}

// plainDecorators are the last names of decorators that keep nothing and need no call.
var plainDecorators = setOf("setter", "getter", "deleter", "no_grad", "inference_mode", "jit", "script", "compile", "compact",
	"export", "ignore", "unused", "wraps", "cache", "lru_cache", "fixture", "main", "njit", "autotune", "custom_fwd", "custom_bwd")
