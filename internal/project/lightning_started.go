package project

import (
	"bytes"
	"slices"
	"strings"
)

// dropUnstarted leaves out the steps of Lightning's modules where nothing starts a trainer of Lightning while programs train by loops of
// their own: such a module is a model that came with its training code. Who installs a library starts a trainer himself.
func (p *Project) dropUnstarted(hooks []*visit) []*visit {
	isLightning := func(v *visit) bool { return v.fn.Class != nil && v.fn.Class.Derives(lightningModule) }
	if !slices.ContainsFunc(hooks, isLightning) || p.outlined || !p.trainsByLoop() || p.startsLightning() {
		return hooks
	}
	p.unstarted = map[*Class]bool{}
	installed := p.installed()
	return slices.DeleteFunc(hooks, func(v *visit) bool {
		m := v.fn.Module
		if !isLightning(v) || len(p.loops[m]) > 0 || m.isInstalled(installed) {
			return false
		}
		p.unstarted[v.fn.Class] = true
		return true
	})
}

// forUnstarted reports the forward of a class whose steps are left out, if only its own methods call it: self(batch).
func (p *Project) forUnstarted(f *Function) bool {
	return p.unstarted[f.Class] && len(f.callers()) > 0 && !slices.ContainsFunc(f.callers(), func(s *Site) bool { return s.Func.Class != f.Class })
}

const lightningModule = "lightning.pytorch.LightningModule"

// trainsByLoop reports a program that holds or imports a training loop outside of Lightning's modules.
func (p *Project) trainsByLoop() bool {
	run := p.importedFrom(func(m *Module) bool { return m.Role != Test && m.starts() })
	for m, list := range p.loops {
		if run[m] && slices.ContainsFunc(list, func(l *Loop) bool { return l.Func.Class == nil || !l.Func.Class.Derives(lightningModule) }) {
			return true
		}
	}
	return false
}

// startsLightning reports a project that may start a trainer of Lightning: code or settings name one, or something unknown is fitted.
func (p *Project) startsLightning() bool {
	return slices.ContainsFunc(p.Modules, func(m *Module) bool { return m.Role != Test && m.startsLightning() }) ||
		slices.ContainsFunc(p.Settings, func(s *Settings) bool {
			return bytes.Contains(s.Text, []byte("lightning")) && bytes.Contains(s.Text, []byte("Trainer"))
		})
}

func (m *Module) startsLightning() bool {
	return m.Imports("lightning") && (bytes.Contains(m.Text, []byte("Trainer")) || bytes.Contains(m.Text, []byte("LightningCLI"))) ||
		slices.ContainsFunc(m.Sites, func(s *Site) bool {
			return s.Method() == "fit" && s.Calls.Func == nil && !strings.HasPrefix(s.Calls.Name, "sklearn.")
		})
}
