package signin

import "keva/agent/provider"

// KeyMethods are the ways with a key for an engine that speaks k: one for each provider that takes one.
func KeyMethods(engine string, k provider.Kind, list []provider.Provider) []Method {
	var out []Method
	for _, p := range provider.For(list, k) {
		if !p.Key.Asked() {
			continue
		}
		note := "You paste a key that you made on the provider's page. It is kept in the keyring."
		if p.Owned() {
			note = "You paste the key of your own server. It is kept in the keyring."
		}
		out = append(out, Method{
			ID: engine + "/key/" + p.ID, Engine: engine, Provider: p.ID, Kind: KindKey, Keeper: KeeperKeva,
			Label: p.Name + ", with a key", Note: note,
		})
	}
	return out
}
