package signin

import "keva/agent/provider"

// KeyMethods are the ways with a key for an engine that speaks k: one for each of the app's providers that takes one. The
// key of a provider of the user's own belongs to the form of its address.
func KeyMethods(engine string, k provider.Kind, list []provider.Provider) []Method {
	var out []Method
	for _, p := range provider.For(list, k) {
		if p.Owned() || !p.Key.Asked() {
			continue
		}
		out = append(out, Method{
			ID: engine + "/key/" + p.ID, Engine: engine, Provider: p.ID, Kind: KindKey, Keeper: KeeperKeva,
			Label: p.Name + " API key", Note: "Kept in the keyring; engines never see it",
		})
	}
	return out
}
