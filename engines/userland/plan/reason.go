package plan

import (
	"errors"
	"fmt"
	"strings"

	"keva/agent/event"
)

// Reason is why an engine can't be launched, or won't live long. Its word is stable: logs, diagnostics and bug reports hold
// it.
type Reason string

// The reasons.
const (
	NotInstalled        Reason = "not_installed"
	PrefixTooLong       Reason = "prefix_too_long" // the tree's path does not fit where its programs name it
	ProgramMissing      Reason = "program_missing"
	CompanionMissing    Reason = "companion_missing" // a program that the engine starts
	ShellMissing        Reason = "shell_missing"
	LinkerMissing       Reason = "linker_missing"      // the tree's own ld.so, or the stub that stands before it
	InterpreterMissing  Reason = "interpreter_missing" // what the program names as its interpreter is not there
	NotRelocated        Reason = "not_relocated"       // the program's interpreter is outside of its tree
	PreloadMissing      Reason = "preload_missing"
	LibraryMissing      Reason = "library_missing"
	CertificatesMissing Reason = "certificates_missing"
	NotExecutable       Reason = "not_executable"
	ExecDenied          Reason = "exec_denied" // the file may run, and the system forbids it
	SyscallBlocked      Reason = "syscall_blocked"
	WrongArch           Reason = "wrong_arch"
	HashMismatch        Reason = "hash_mismatch"
	HomeUnwritable      Reason = "home_unwritable"
	TempUnwritable      Reason = "tmp_unwritable"
	MemoryLow           Reason = "memory_low"
	DiskLow             Reason = "disk_low"
	Killed              Reason = "killed"  // by the system, during the trial
	Crashed             Reason = "crashed" // during the trial
	NoAnswer            Reason = "no_answer"
	StartFailed         Reason = "start_failed" // it ran, or did not, and nothing above explains it
)

// Weight is how much a problem matters.
type Weight string

// The weights.
const (
	Blocks  Weight = "blocks"  // the engine does not work
	Warns   Weight = "warns"   // it may work for a while
	Unknown Weight = "unknown" // it could not be found out
)

// Problem is a precondition that does not hold, or that nobody could look at. It is an error: errors.As finds an
// *event.Error in it, whose message is Message and Remedy.
type Problem struct {
	Reason  Reason
	Weight  Weight
	Subject string // the file or folder that it is about, "" for the machine
	Message string // for people: what is so
	Remedy  string // for people: what to do
	Detail  string // for somebody who helps

	cause *event.Error // what an adapter or the system said, which then is what surfaces show
}

// Error is what people read: what is so, and what to do.
func (p *Problem) Error() string { return strings.TrimSpace(p.Message + " " + p.Remedy) }

// Unwrap gives what surfaces show.
func (p *Problem) Unwrap() error {
	e := event.Error{Class: event.ClassEngine, Message: p.Error()}
	if p.cause != nil {
		e = *p.cause
	}
	e.Detail = string(p.Reason)
	if p.Detail != "" {
		e.Detail += ": " + p.Detail
	}
	return &e
}

// ReasonOf is the reason that an error carries, "" for none.
func ReasonOf(err error) Reason {
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p.Reason
	}
	return ""
}

// text is what people read of a reason. In says, %s is the subject. An empty remedy is the place's way to install anew.
type text struct {
	reason       Reason
	title        string // what is in order when it does not apply
	says, remedy string
	pack         bool // looked at in a userland only
}

// texts are the reasons in the order in which they are looked at: the first explains those after it.
var texts = []text{
	{NotInstalled, "Installed", "%s is not installed.", "", false},
	{PrefixTooLong, "Length of the pack's path", "The pack lies at a path that is too long: %s.", "Move Keva's data folder to a shorter path, then install the pack again.", true},
	{ProgramMissing, "Program", "The engine's program %s is not there.", "", false},
	{CompanionMissing, "Programs beside the engine", "A part of the engine is missing: %s. Without it no tool would work.", "", false},
	{WrongArch, "Kind of processor", "%s is made for another kind of processor.", "Install the build for this device.", false},
	{NotExecutable, "Marked as executable", "%s is not marked as executable.", "", false},
	{LinkerMissing, "Linker", "The pack's linker is not there: %s.", "", true},
	{NotRelocated, "Set up for its place", "%s was not set up for the folder that it lies in.", "", true},
	{InterpreterMissing, "Interpreter", "%s needs a loader that is not there.", "", false},
	{PreloadMissing, "Preload library", "The library %s, without which Android ends the engine's tools, is not there.", "", true},
	{LibraryMissing, "Libraries", "A library that %s needs is missing or does not fit.", "", false},
	{ShellMissing, "Shell", "There is no bash or zsh, so the engine can't run commands.", "Install bash.", false},
	{CertificatesMissing, "Certificates", "The list of certificates %s is not there, so no secure connection works.", "", true},
	{HomeUnwritable, "Home folder", "The home folder %s can't be written to.", "Check its permissions and the free space.", true},
	{TempUnwritable, "Temporary folder", "The folder for temporary files %s can't be written to.", "Check its permissions and the free space.", false},
	{MemoryLow, "Free memory", "Only %s of memory is free. The system may end the engine at any time.", "Close other apps.", false},
	{DiskLow, "Free space", "Only %s of storage is free. Engines, projects and history need more.", "Free some space.", false},
	{HashMismatch, "Contents", "Files of the pack are not what was installed.", "Repair the pack.", true},
	{ExecDenied, "Allowed to run", "The system does not allow %s to run.", "Its folder may forbid programs (noexec). Move Keva's data folder to the device's own storage; if it is there, this system can't run engines.", false},
	{SyscallBlocked, "System calls", "%s made a system call that this device forbids.", "Install the newest pack. If that does not help, report this with the detail: this system can't run the engine.", false},
	{Killed, "Lives through a trial", "The system ended %s during a trial, most often because memory ran out.", "Close other apps, then try again.", false},
	{Crashed, "Runs without a crash", "%s crashed during a trial.", "", false},
	{NoAnswer, "Answers", "%s did not answer in time.", "Try again when the device is less busy.", false},
	{StartFailed, "Starts", "%s could not be started.", "", false},
}

// Title says in a few words what a reason is about: "Linker", "Free memory".
func (r Reason) Title() string {
	for _, t := range texts {
		if t.reason == r {
			return t.title
		}
	}
	return string(r)
}

// Reasons are those that Check looks at in this kind of place, in their order. What is here and not among the problems is
// in order, if everything was looked at: see Options.
func Reasons(k Kind) []Reason {
	var out []Reason
	for _, t := range texts {
		if k == KindPack || !t.pack {
			out = append(out, t.reason)
		}
	}
	return out
}

// problem words a reason for this place. subject is the file, folder or amount that it is about.
func (p Place) problem(r Reason, subject, detail string) *Problem {
	out := &Problem{Reason: r, Weight: Blocks, Subject: subject, Detail: detail, Message: string(r)}
	for _, t := range texts {
		if t.reason != r {
			continue
		}
		out.Message, out.Remedy = t.says, t.remedy
		if strings.Contains(t.says, "%s") {
			out.Message = fmt.Sprintf(t.says, subject)
		}
		if out.Remedy == "" {
			out.Remedy = p.Reinstall()
		}
	}
	if r == MemoryLow || r == DiskLow || r == CertificatesMissing {
		out.Weight = Warns // a start may succeed, and a session without a network may even be finished
	}
	return out
}
