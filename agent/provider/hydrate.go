package provider

import "slices"

// Hydrate aligns what was stored with what this version of the app knows: every built-in provider as the app has it now,
// whatever was stored of it, then the user's own as they were stored, untouched. Built-in providers that the app no longer
// has, and second ones of the same id, are left out. The caller stores the result when it differs.
func Hydrate(stored []Provider) []Provider {
	out := builtin()
	for _, p := range stored {
		if _, twice := Find(out, p.ID); p.Owned() && !twice {
			out = append(out, p)
		}
	}
	return out
}

// Align is the model that provider p should be asked for when `model` was stored: the same while it exists, its successor
// when it was retired, else "", the default. A custom provider's models are the user's and stay as they are; so do those of
// a provider that lists none here.
func Align(p Provider, k Kind, model string) string {
	if p.Owned() || len(p.Models) == 0 {
		return model
	}
	for range len(successors) + 1 { // a chain can't be longer, and a circle ends
		if model == "" || slices.ContainsFunc(p.Models, func(m Model) bool { return m.ID == model && m.Kind == k }) {
			return model
		}
		model = successors[model]
	}
	return ""
}

// AlignEffort is effort when the model knows it, else "", the default. Where efforts are not known it stays.
func AlignEffort(p Provider, k Kind, model, effort string) string {
	for _, m := range p.Models {
		if m.ID == model && m.Kind == k {
			if slices.Contains(m.Efforts, effort) {
				return effort
			}
			return ""
		}
	}
	return effort
}
