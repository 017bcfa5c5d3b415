package rule

import (
	"saturate/internal/human"
	"saturate/internal/project"
)

// Recipes are settings files and commands that start one program with values of their own. What is too small in the largest of them is
// too small in all.

// largestOfRecipes is the largest number among what recipes give, and all of them; nothing where one of them is not known, or something
// else than a recipe may give it.
func largestOfRecipes(v Value) (largest Value, all []Value) {
	for _, one := range v.Either {
		n, known := one.Int()
		if how := one.Origin.How; !known || how != project.BySettings && how != project.ByScript {
			return Value{}, nil
		}
		if most, some := largest.Int(); !some || n > most {
			largest = one
		}
		all = append(all, one)
	}
	return largest, all
}

// ofRecipes names the place where each of several recipes gives the size of the batch that the finding is about.
func (r *Report) ofRecipes(all []Value) *Report {
	if len(all) > 1 {
		r.finding.Message += " at most, in each of " + human.Plural(int64(len(all)), "recipe")
	}
	for _, one := range all {
		r.Because(one)
	}
	return r
}
