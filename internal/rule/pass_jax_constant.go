package rule

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// copiesForJAX copy what the host holds to the devices.
var copiesForJAX = []string{"flax.jax_utils.replicate", "jax.device_put", "jax.device_put_replicated", "jax.device_put_sharded"}

// constantsForJAX reports values that a training loop of JAX copies to the devices in every step, though nothing in the
// loop changes them.
func (p *SourcePass) constantsForJAX() {
	var loops []jaxLoop
	for _, c := range p.CallsTo(slices.Concat(copiesForJAX, []string{"jax.numpy.array", "jax.numpy.asarray"})...) {
		from := firstArg(c.Node)
		copies := slices.Contains(copiesForJAX, c.Name())
		if from == nil || pysrc.DottedName(from) == "" && !isNumberOf(from) || !copies && !p.isArray(from) || p.Rare(c) != nil {
			continue
		}
		if loops == nil {
			loops = p.JAXLoops()
		}
		if i := slices.IndexFunc(loops, func(l jaxLoop) bool { return l.Func == c.Func && p.LoopAround(c) == l.Stmt }); i >= 0 &&
			!changesIn(loops[i].Stmt, pysrc.DottedName(from)) && !p.insideJit(c.Site) {
			p.Report(c, likely).Because(p.At(header(loops[i].Stmt), "in each iteration of this loop")).
				Saying("%s copies the same value to the device in every step", p.Short(c)).
				Advising("Copy it once, before the loop.")
		}
	}
}

func isNumberOf(e pysrc.Expr) bool {
	_, number := pysrc.FloatValue(e)
	return number
}

// changesIn reports a name, or a part or the whole of it, that a statement stores or changes: params, config.rate.
func changesIn(stmt pysrc.Stmt, name string) bool {
	found := false
	root, _, _ := strings.Cut(name, ".")
	pysrc.Inspect(stmt, func(n pysrc.Node) bool {
		switch n := n.(type) {
		case *pysrc.Name:
			found = found || n.Ctx == pysrc.Store && n.ID == root
		case *pysrc.Attribute:
			stored := pysrc.DottedName(n)
			found = found || n.Ctx == pysrc.Store && stored != "" && (strings.HasPrefix(name+".", stored+".") || strings.HasPrefix(stored+".", name+"."))
		case *pysrc.Subscript:
			found = found || n.Ctx == pysrc.Store && pysrc.DottedName(n.Value) == name
		case *pysrc.Call: // whose method may change it
			if f, ok := n.Func.(*pysrc.Attribute); ok && pysrc.DottedName(f.Value) != "" {
				found = found || strings.HasPrefix(name+".", pysrc.DottedName(f.Value)+".")
			}
		}
		return !found
	})
	return found
}
