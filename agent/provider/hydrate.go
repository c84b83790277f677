package provider

import "slices"

// Hydrate aligns what was stored with what this version of the app knows: every built-in provider as the app has it now,
// whatever was stored of it, then the user's own as it was stored, untouched. Built-in providers that the app no longer
// has, and second custom ones, are left out. The caller stores the result when it differs.
func Hydrate(stored []Provider) []Provider {
	out := builtin()
	if p, ok := Find(stored, Custom); ok {
		out = append(out, p)
	}
	return out
}

// Align is the model that provider p should be asked for when `model` was stored: the same while it exists, its successor
// when it was retired, else "", the default. A custom provider's models are the user's and stay as they are.
func Align(p Provider, k Kind, model string) string {
	if p.Owned() {
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
