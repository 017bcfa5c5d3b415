package rule

import "saturate/internal/project"

// modelRunTwice finds models that a step runs again on what it has run them on already, with the same weights.
var modelRunTwice = Rule{
	Code: "SAT426", Name: "model-run-twice", Severity: Advice, Subject: AboutKernels,
	Areas: []Area{ComputeArea},
	Title: "a step runs a model twice on the same input",
	What: "A model of the project that a training step calls with the same arguments as before, though neither they nor its weights have changed: " +
		"a generator that runs once for the discriminator's update and once for its own, or model.gradient(x), which runs " +
		"forward(x) again, beside model(x). Where nothing is updated in between, only models without dropout and random numbers.",
	Why:  "The second pass computes what the first has computed. A generator's forward pass is often a quarter of a GAN's step.",
	Fine: "Memory that does not suffice to keep the graph. A model that is small beside the rest.",
	Advice: "Keep the first result. For the update of another model use result.detach(): the graph stays for the model's own " +
		"update. A method that needs the gradient of the output can return both.",
	Bad: "loss_d = adversarial(critic(generator(x).detach()))\nloss_d.backward()\noptimizer_d.step()\nloss_g = adversarial(critic(generator(x)))",
	Good: "fake = generator(x)\nloss_d = adversarial(critic(fake.detach()))\nloss_d.backward()\noptimizer_d.step()\n" +
		"loss_g = adversarial(critic(fake))",
	Source: func(p *SourcePass) {
		if !p.Module.InStep() || !p.runsOnGPU() || p.jaxOnly() || p.Module.Role == project.Test {
			return
		}
		said := map[*project.Function]map[string]*Report{}
		for fn, runs := range p.modelRuns() {
			for i, again := range runs {
				first := p.sameRun(runs[:i], again)
				if first == nil {
					continue
				}
				way, ok := p.EachStep(p.outsideNoGrad(again.site))
				if !ok {
					continue
				}
				if said[fn] == nil {
					said[fn] = map[string]*Report{}
				}
				if r := said[fn][again.model]; r != nil {
					r.Too(p.At(again.site, "so does this call"))
					continue
				}
				r := p.Report(again.site, likely*way.Sure).Because(way, p.At(first.site, "it ran here with the same arguments"))
				if inner := again.commonWith(first); inner != nil && inner.via != again.site {
					r.Because(p.In(inner.via.Module()).At(inner.via, "by this call"))
				}
				said[fn][again.model] = r.Saying("%s runs again on what it ran on before in the same step", p.Short(again.site.Node.Func))
			}
		}
	},
}
