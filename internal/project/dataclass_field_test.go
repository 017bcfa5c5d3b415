package project

import "testing"

// A compiled step that a class is given as a field of a dataclass runs where the field is called: the field has no default, and
// those who make objects give it.
func TestStepInAField(t *testing.T) {
	for name, field := range map[string]string{
		"annotated":     "step: Callable",
		"of a library":  "step: Callable = struct.field(pytree_node=False)",
		"of its own":    "step: Callable = dataclasses.field(default=None)",
		"under a union": "step: Optional[Callable]",
	} {
		t.Run(name, func(t *testing.T) {
			p := loadText(t, map[string]string{
				"trainer.py": "import dataclasses\nfrom typing import Callable, Optional\n\nimport jax\nfrom flax import struct\n\n\n@dataclasses.dataclass\nclass Trainer:\n    " + field + "\n\n" +
					"    def run(self, state, batch):\n        return self.step(state, batch)\n\n\n" +
					"class Small(Trainer):\n    @classmethod\n    def make(cls, loss_fn):\n        @jax.jit\n        def step(state, batch):\n            loss, grads = jax.value_and_grad(loss_fn)(state.params, batch)\n" +
					"            return state.apply_gradients(grads=grads), scaled(loss)\n\n        return cls(step=step)\n\n\ndef scaled(loss):\n    return loss * 2  # in the step\n",
				"train.py": "from trainer import Small\n\n\ndef main(state, loader, loss_fn):\n    trainer = Small.make(loss_fn)\n    for batch in loader:\n        state, loss = trainer.run(state, batch)  # the loop\n        print(loss)\n\n\nmain(None, [], None)\n",
			})
			if !hotAt(t, p, "# in the step") {
				t.Error("the step in the field is not followed")
			}
		})
	}
}
