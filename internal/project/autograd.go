package project

// A function of the project that brings its own derivative is a class: Norm.apply(x) runs its forward with a context and x.

const autogradFunction = "torch.autograd.Function"

// applied is what apply of such a class runs; nil for other classes.
func (c *Class) applied() *Function {
	if f := c.Method("forward"); f != nil && f.isApplied() {
		return f
	}
	return nil
}

// isApplied reports the forward of such a class, whose first parameter is its context.
func (f *Function) isApplied() bool {
	return f.Class != nil && f.Def != nil && f.Def.Name == "forward" && f.decorated("staticmethod") && f.Class.Derives(autogradFunction)
}
