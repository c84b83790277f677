// Package elfedit makes programs of a Linux distribution fit to run inside an Android app, by edits that move nothing.
//
// Three kinds, each a pure function of the file's bytes: calls that Android's seccomp policy refuses become -ENOSYS
// (NopAll), a program gets an interpreter, a search path and a preload that need no environment (Prepare), and a script
// gets an absolute #! line (Shebang). What depends on the place of installation is not written: it is given back as
// relocations, for whoever unpacks. The package never reads or writes a file, and every malformed input is an error.
package elfedit
