package event

import "strconv"

// Sentence says what a failure of class c means and what to do, in words that hold for every engine and provider. status
// is the HTTP status, 0 for none; said is what the other side said in words of its own, "" for nothing. It never names an
// engine.
func (c Class) Sentence(status int, said string) string {
	http := ""
	if status != 0 {
		http = " (HTTP " + strconv.Itoa(status) + ")"
	}
	if said != "" {
		said = " It said: " + said
	}
	switch c {
	case ClassAuth:
		return "The provider refused the credentials" + http + ". Check the key in Settings, or sign in again."
	case ClassBilling:
		return "The provider's credit is used up" + http + ". Add credit there, or choose another provider." + said
	case ClassLimit:
		return "The provider's usage limit is reached" + http + ". Wait until it resets, or choose another model or provider." + said
	case ClassOverloaded:
		return "The provider is overloaded" + http + ". Try again in a few minutes."
	case ClassServer:
		return "The provider failed to answer" + http + ". Try again; if it keeps failing, look at the provider's status page."
	case ClassModel:
		return "The provider does not have this model, or you may not use it" + http + ". Choose another one in Settings." + said
	case ClassContext:
		return "The conversation is too long for the model. Shorten it with /compact, or begin a new session."
	case ClassRequest:
		return "The provider rejected the request" + http + ". Send it in another form, or begin a new session." + said
	case ClassRefusal:
		return "The model declined to answer this. Rephrase the request, or choose another model." + said
	case ClassNetwork:
		return "The connection to the provider failed or was cut. Check the network and the provider's address, then send again." + said
	case ClassTooLong:
		return "The answer was longer than the model may write at once. Ask it to go on, or for smaller parts."
	case ClassBudget:
		return "The limit that was set for this run is reached. Raise it, or go on with another message."
	case ClassDenied:
		return "It stopped because too much was declined." + said
	case ClassConfig:
		return "The settings can't work. Check engine, provider and model in Settings." + said
	case ClassResume:
		return "The engine can't continue its own session. Send again: it begins a new one and is told the last messages." + said
	case ClassEngine, ClassTool, ClassEngineGone, ClassInterrupted, ClassOther:
	}
	if said == "" {
		return "The request failed, and the engine did not say why."
	}
	return "The request failed." + said
}
