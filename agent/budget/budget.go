// Package budget is the one table of every timeout and limit of the system: what it is, how much, who enforces it. The
// docs are generated from it, and nobody else holds such a number.
package budget

import "time"

// Budget is one timeout or limit. Either Time or Size is set.
type Budget struct {
	Name    string        // stable, for docs and diagnostics
	Time    time.Duration // a timeout
	Size    int64         // a limit, in Unit
	Unit    string        // of Size: bytes, messages, characters
	Meaning string        // what happens when it is spent
	Owner   string        // package that enforces it
}

// The budgets.
var (
	SlotYield = Budget{
		Name: "slot yield", Time: 5 * time.Second, Owner: "agent/session",
		Meaning: "How long a new holder of the engine slot waits for the old one before it is refused with the holder's name.",
	}
	Interrupt = Budget{
		Name: "interrupt", Time: 10 * time.Second, Owner: "agent/session",
		Meaning: "How long an interrupted turn may take to end before the engine is stopped.",
	}
	EngineStop = Budget{
		Name: "engine stop", Time: 20 * time.Second, Owner: "agent/session",
		Meaning: "How long closing a session waits for its engine to be gone.",
	}
	Settle = Budget{
		Name: "settle", Time: 30 * time.Minute, Owner: "agent/session",
		Meaning: "How long tasks may stay silent after the turn was answered before they are shown as unknown. Never as done.",
	}
	Heartbeat = Budget{
		Name: "heartbeat", Time: 4 * time.Minute, Owner: "agent/liveness",
		Meaning: "How long an engine that promised heartbeats may be silent; up to three times more while its process lives. Engines that promised none are not watched.",
	}
	ExtraTurn = Budget{
		Name: "extra turn", Time: 2 * time.Second, Owner: "ui/headless",
		Meaning: "How long a headless run waits, after the last background task ended, for the turn in which the engine tells of it.",
	}
	Doctor = Budget{
		Name: "doctor: one check", Time: 45 * time.Second, Owner: "agent/doctor",
		Meaning: "How long one check may take, all of them side by side. After that what it looks at is shown as unknown.",
	}
	Handshake = Budget{
		Name: "engine: handshake", Time: 45 * time.Second, Owner: "engines/claude, engines/codex",
		Meaning: "How long an engine may take from its launch to its first word, or to an open session. After that it is stopped. On a slow computer it needs 2 s. Codex's version command has the same.",
	}
	VersionCheck = Budget{
		Name: "engine: version", Time: 30 * time.Second, Owner: "engines/claude, engines/userland/plan",
		Meaning: "How long the version command may take: a program of 240 MB may come from a slow disk. After that the engine counts as broken. A trial of the shell has the same.",
	}
	LowMemory = Budget{
		Name: "engine: low memory", Size: 384 << 20, Unit: "bytes", Owner: "engines/userland/plan",
		Meaning: "Free memory below which the doctor warns. In a demo tour Claude Code took 341 MB at the most, Codex 191 MB (measured), and commands come on top. Nothing is refused: the system decides.",
	}
	LowDisk = Budget{
		Name: "engine: low storage", Size: 192 << 20, Unit: "bytes", Owner: "engines/userland/plan",
		Meaning: "Free storage below which the doctor warns: history, a build and the engines' temporary files need more. Nothing is refused.",
	}
	InterruptReply = Budget{
		Name: "engine: interrupt", Time: 5 * time.Second, Owner: "engines/claude, engines/codex",
		Meaning: "How long an engine may take to obey an interrupt while it is being stopped, before its input is closed; measured: 15 ms.",
	}
	Farewell = Budget{
		Name: "engine: farewell", Time: 1500 * time.Millisecond, Owner: "engines/codex",
		Meaning: "How long a running turn may take to end by itself when its engine is stopped, so that the engine keeps it as interrupted and not as cut.",
	}
	LateReply = Budget{
		Name: "engine: late reply", Time: 10 * time.Second, Owner: "engines/claude",
		Meaning: "How long a reply that nobody waits for may wait for an engine that does not read.",
	}
	Mute = Budget{
		Name: "engine: mute", Time: 2 * time.Second, Owner: "engines/claude",
		Meaning: "How long an engine may live after it closed its output. After that it is stopped: nothing that it does could be seen any more.",
	}
	StopStdin = Budget{
		Name: "stop: stdin", Time: 2 * time.Second, Owner: "engines/proc",
		Meaning: "How long an engine may take to end after its input was closed, before it gets SIGINT. A healthy one needs 0.1 s.",
	}
	StopInt = Budget{
		Name: "stop: SIGINT", Time: 2 * time.Second, Owner: "engines/proc",
		Meaning: "How long an engine may take to end after SIGINT, before it gets SIGTERM.",
	}
	StopTerm = Budget{
		Name: "stop: SIGTERM", Time: 2 * time.Second, Owner: "engines/proc",
		Meaning: "How long an engine may take to end after SIGTERM, before it gets SIGKILL.",
	}
	StopKill = Budget{
		Name: "stop: SIGKILL", Time: 5 * time.Second, Owner: "engines/proc",
		Meaning: "How long the system may take to end a process that got SIGKILL. After that it is stuck in the kernel, and the run record stays.",
	}
	StopKin = Budget{
		Name: "stop: descendants", Time: time.Second, Owner: "engines/proc",
		Meaning: "How long tools of an engine that is gone, and orphans of an earlier run, may take to end after SIGTERM, before they get SIGKILL.",
	}
	Exec = Budget{
		Name: "start: exec", Time: time.Second, Owner: "engines/proc",
		Meaning: "How long a process may show no command line after its exec. A new engine can't be noted down then, and is ended before it got a byte; another process counts as a stranger.",
	}
	Fork = Budget{
		Name: "start: fork", Time: 100 * time.Millisecond, Owner: "engines/proc",
		Meaning: "How long a process may show no marker after its fork: the next start of Keva waits so long for an engine that was being started when Keva was killed.",
	}
	Output = Budget{
		Name: "last output", Time: 500 * time.Millisecond, Owner: "engines/proc",
		Meaning: "How long output is still read after an engine ended while one of its tools holds the pipe open. Nothing of the engine's own is lost.",
	}
	SignIn = Budget{
		Name: "sign-in", Time: 20 * time.Minute, Owner: "agent/signin",
		Meaning: "How long a person may take for a sign-in in the browser. The engine slot is taken so long; after that the engine is stopped and the sign-in has failed.",
	}
	SignInStore = Budget{
		Name: "sign-in: store", Time: 10 * time.Second, Owner: "agent/signin",
		Meaning: "How long storing the provider that was signed in to may take. After that the sign-in has failed, and says that the choice is not stored.",
	}
	SignInReply = Budget{
		Name: "sign-in: reply", Time: 45 * time.Second, Owner: "engines/claude, engines/codex",
		Meaning: "How long an engine may take for an answer about its account that nobody has to do anything for. Some of them wait for the provider's server.",
	}
	SignInCancel = Budget{
		Name: "sign-in: cancel", Time: 3 * time.Second, Owner: "engines/codex",
		Meaning: "How long an engine may take to give up a sign-in before it is stopped with it.",
	}
	ModelList = Budget{
		Name: "models: answer", Time: 20 * time.Second, Owner: "platform/models",
		Meaning: "How long a provider may take to name its models, or to say whether it takes a key. After that the list of before stays.",
	}
	ModelListBody = Budget{
		Name: "models: body", Size: 4 << 20, Unit: "bytes", Owner: "platform/models",
		Meaning: "How much of a list of models is read; a longer one is cut, and then counts as no list.",
	}
	Prompt = Budget{
		Name: "prompt", Size: 1 << 20, Unit: "bytes", Owner: "agent/session",
		Meaning: "A longer prompt is refused with the advice to put it in a file.",
	}
	Stderr = Budget{
		Name: "last words", Size: 8 << 10, Unit: "bytes", Owner: "engines/proc",
		Meaning: "How much of an engine's error output is kept for the card that tells of its end; what came before is cut.",
	}
	RunRecord = Budget{
		Name: "run record", Size: 8 << 20, Unit: "bytes", Owner: "engines/proc",
		Meaning: "What is longer is not read as a run record, and counts as none.",
	}
	FetchEnd = Budget{
		Name: "engine download: end", Time: 5 * time.Second, Owner: "engines/install",
		Meaning: "How long the output of a stopped npm is still waited for while a child of it holds the pipe.",
	}
	DemoHeader = Budget{
		Name: "demo: header", Time: 10 * time.Second, Owner: "engines/demo",
		Meaning: "How long a client of the demo provider may take for the header of a request before it is cut off.",
	}
	DemoBody = Budget{
		Name: "demo: body", Size: 64 << 20, Unit: "bytes", Owner: "engines/demo",
		Meaning: "A longer request to the demo provider is refused.",
	}
	DemoLog = Budget{
		Name: "demo: log", Size: 16 << 20, Unit: "bytes", Owner: "engines/demo",
		Meaning: "How much of the last requests the demo provider keeps for tests; older ones are forgotten.",
	}
	DemoRequests = Budget{
		Name: "demo: requests", Size: 1000, Unit: "requests", Owner: "engines/demo",
		Meaning: "How many of the last requests the demo provider keeps for tests; older ones are forgotten.",
	}
	NetWatch = Budget{
		Name: "network: watch", Time: 20 * time.Second, Owner: "platform/device",
		Meaning: "How often a phone is asked whether its network, or the network's proxy, is another one. A launch asks anyway.",
	}
	NetDial = Budget{
		Name: "network: connect", Time: 20 * time.Second, Owner: "platform/network",
		Meaning: "How long a connection may take to be there, the proxy's answer and the TLS handshake included. After that the attempt counts as a timeout.",
	}
	NetFallback = Budget{
		Name: "network: next address", Time: 300 * time.Millisecond, Owner: "platform/network",
		Meaning: "How long one address of a host may be silent before the next one is tried beside it.",
	}
	NetAnswer = Budget{
		Name: "network: answer", Time: time.Minute, Owner: "platform/network",
		Meaning: "How long the header of an answer to one of the app's own requests may take. After that the attempt counts as a timeout.",
	}
	NetIdle = Budget{
		Name: "network: idle", Time: 90 * time.Second, Owner: "platform/network",
		Meaning: "How long an unused connection of the app's own requests is kept.",
	}
	NetAttempts = Budget{
		Name: "network: attempts", Size: 200, Unit: "attempts", Owner: "platform/network",
		Meaning: "How many of the last attempts to reach something are kept in memory; older ones are forgotten. The log keeps the failures.",
	}
	NetCertificates = Budget{
		Name: "network: certificates", Size: 16 << 20, Unit: "bytes", Owner: "platform/network",
		Meaning: "A longer file of extra certificates is not used, and that is said.",
	}
	ProxyHeader = Budget{
		Name: "proxy: header", Size: 64 << 10, Unit: "bytes", Owner: "platform/network, platform/network/proxy",
		Meaning: "A longer header of a request to the proxy for engines is refused; a longer header of an answer is an error.",
	}
	ProxyGreeting = Budget{
		Name: "proxy: greeting", Time: 10 * time.Second, Owner: "platform/network/proxy",
		Meaning: "How long a program may take for the header of a request to the proxy for engines before it is cut off.",
	}
	ProxyIdle = Budget{
		Name: "proxy: idle", Time: 2 * time.Hour, Owner: "platform/network/proxy",
		Meaning: "How long a tunnel of an engine may carry nothing before it is closed: a model may think for long.",
	}
	ProxyTunnels = Budget{
		Name: "proxy: connections", Size: 512, Unit: "connections", Owner: "platform/network/proxy",
		Meaning: "How many connections the proxy for engines carries at once; further ones are refused.",
	}
	ProxyStrangers = Budget{
		Name: "proxy: strangers", Size: 64, Unit: "connections", Owner: "platform/network/proxy",
		Meaning: "How many connections may be open that have not shown a credential yet; further ones are closed at once.",
	}
	ProxyHosts = Budget{
		Name: "proxy: hosts", Size: 500, Unit: "hosts", Owner: "platform/network/proxy",
		Meaning: "How many contacted hosts are remembered; the ones that were contacted longest ago are forgotten first.",
	}
	NamesAnswer = Budget{
		Name: "names: answer", Time: 10 * time.Second, Owner: "platform/network/nameserver",
		Meaning: "How long the device's resolver may take for a question to the local name server. After that the answer is a failure, which programs may ask again.",
	}
	NamesKeep = Budget{
		Name: "names: keep", Time: time.Minute, Owner: "platform/network/nameserver",
		Meaning: "How long an answer is kept and may be kept by programs: the device's resolver does not tell how long it holds.",
	}
	NamesKeepMissing = Budget{
		Name: "names: keep missing", Time: 10 * time.Second, Owner: "platform/network/nameserver",
		Meaning: "How long it is kept that a name does not exist.",
	}
	NamesCache = Budget{
		Name: "names: cache", Size: 1000, Unit: "answers", Owner: "platform/network/nameserver",
		Meaning: "How many answers are kept; the oldest is forgotten first.",
	}
	NamesAtOnce = Budget{
		Name: "names: at once", Size: 64, Unit: "questions", Owner: "platform/network/nameserver",
		Meaning: "How many questions are worked on at once; further packets are dropped, and programs ask again.",
	}
	UpdateCheck = Budget{
		Name: "update: check", Time: time.Minute, Owner: "platform/update",
		Meaning: "How long a look for a new version may take in all.",
	}
	UpdateEvery = Budget{
		Name: "update: every", Time: 24 * time.Hour, Owner: "platform/update",
		Meaning: "How old the last look for a new version must be before Keva looks again by itself.",
	}
	UpdateManifest = Budget{
		Name: "update: manifest", Size: 256 << 10, Unit: "bytes", Owner: "platform/update",
		Meaning: "A longer description of the newest version is refused.",
	}
)

// All lists every budget, in the order of the docs.
func All() []Budget {
	return []Budget{
		SlotYield, Interrupt, EngineStop, Settle, Heartbeat, ExtraTurn, Doctor,
		Handshake, VersionCheck, LowMemory, LowDisk, InterruptReply, Farewell, LateReply, Mute,
		StopStdin, StopInt, StopTerm, StopKill, StopKin, Exec, Fork, Output,
		SignIn, SignInStore, SignInReply, SignInCancel,
		ModelList, ModelListBody,
		Prompt, Stderr, RunRecord,
		FetchEnd, DemoHeader, DemoBody, DemoLog, DemoRequests,
		NetWatch, NetDial, NetFallback, NetAnswer, NetIdle, NetAttempts, NetCertificates,
		ProxyHeader, ProxyGreeting, ProxyIdle, ProxyTunnels, ProxyStrangers, ProxyHosts,
		NamesAnswer, NamesKeep, NamesKeepMissing, NamesCache, NamesAtOnce, UpdateCheck, UpdateEvery, UpdateManifest,
	}
}
