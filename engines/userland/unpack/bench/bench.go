// Package bench measures unpacking against `zstd -d | tar x`, interleaved in one run. It is for developers and must not
// be part of the app.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
	"keva/engines/userland/unpack"
)

// Times are how long one unpacking took: until all was written, until it was safe on the disk, and how much of the
// processors it used. On a machine with other work only the last says something about the program.
type Times struct{ Written, Durable, CPU time.Duration }

// Result are the times of all rounds.
type Result struct {
	Bytes     int64 // of the tree
	Packed    int64
	Ours, Tar []Times
}

// Run unpacks the pack in both ways, rounds times, below dir, and removes it all. The way that begins alternates.
// Ours checks paths, hashes, relocates and verifies; theirs does not.
func Run(ctx context.Context, file, dir string, rounds int) (res Result, err error) {
	for _, tool := range []string{"zstd", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			return res, fmt.Errorf("%s is missing, so there is nothing to compare with. Install the packages zstd and tar: %w", tool, err)
		}
	}
	src, err := pack.OpenFile(file)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	r, err := pack.NewReader(src)
	if err != nil {
		return res, err
	}
	res.Bytes, res.Packed = r.Manifest().Size(), src.Size()
	arch := r.Manifest().Arch
	ways := []func(string) error{
		func(to string) error {
			t, err := theirs(ctx, file, to)
			res.Tar = append(res.Tar, t)
			return err
		},
		func(to string) error {
			t, err := ours(ctx, src, arch, to)
			res.Ours = append(res.Ours, t)
			return err
		},
	}
	// All trees stay until the end: ext4 gives away no inode that was freed within the last seconds and looks at each of
	// them again for every new file, which would be most of what is measured.
	all, err := os.MkdirTemp(dir, "bench-*")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(all)) }()
	for i := range 2 * rounds {
		to := filepath.Join(all, strconv.Itoa(i))
		if err := os.Mkdir(to, 0o700); err != nil {
			return res, err
		}
		unix.Sync() // what others have written must not be counted here
		if err := ways[(i+i/2)%2](to); err != nil {
			return res, err
		}
	}
	return res, nil
}

func ours(ctx context.Context, src pack.Source, arch, to string) (t Times, err error) {
	used, err := cpu()
	if err != nil {
		return t, err
	}
	start := time.Now()
	_, err = unpack.Install(ctx, src, to, unpack.Options{Arch: arch, Progress: func(p unpack.Progress) {
		if p.Stage == unpack.Saving {
			t.Written = time.Since(start)
		}
	}})
	t.Durable = time.Since(start)
	now, e := cpu()
	t.CPU = now - used
	return t, errors.Join(err, e)
}

// cpu is what this process has used.
func cpu() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

func theirs(ctx context.Context, file, to string) (t Times, err error) {
	start := time.Now()
	zstd := exec.CommandContext(ctx, "zstd", "-q", "-dc", file)
	tar := exec.CommandContext(ctx, "tar", "xf", "-", "-C", to)
	zstd.Stderr, tar.Stderr = os.Stderr, os.Stderr
	r, w, err := os.Pipe() // a pipe of the kernel's, as in the shell
	if err != nil {
		return t, err
	}
	zstd.Stdout, tar.Stdin = w, r
	err = errors.Join(zstd.Start(), tar.Start(), w.Close(), r.Close())
	if err != nil {
		return t, err
	}
	if err := errors.Join(zstd.Wait(), tar.Wait()); err != nil {
		return t, err
	}
	t.Written = time.Since(start)
	for _, p := range []*os.ProcessState{zstd.ProcessState, tar.ProcessState} {
		t.CPU += p.UserTime() + p.SystemTime()
	}
	d, err := os.Open(to)
	if err != nil {
		return t, err
	}
	err = errors.Join(unix.Syncfs(int(d.Fd())), d.Close())
	t.Durable = time.Since(start)
	return t, err
}

var columns = []func(Times) time.Duration{
	func(t Times) time.Duration { return t.Written },
	func(t Times) time.Duration { return t.Durable },
	func(t Times) time.Duration { return t.CPU },
}

// Ratio is ours / theirs, by medians: until written, until durable, and of the processors' time.
func (r Result) Ratio() (ratio [3]float64) {
	for i, of := range columns {
		ratio[i] = median(r.Ours, of).Seconds() / median(r.Tar, of).Seconds()
	}
	return ratio
}

func median(list []Times, of func(Times) time.Duration) time.Duration {
	var all []time.Duration
	for _, t := range list {
		all = append(all, of(t))
	}
	slices.Sort(all)
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}

// Print writes the table.
func (r Result) Print(w io.Writer) error {
	text := fmt.Sprintf("unpack %4d MB from %4d MB, %2d rounds   written (range)         on the disk (range)     processor (range)\n", r.Bytes/1e6, r.Packed/1e6, len(r.Ours))
	for _, way := range []struct {
		name  string
		times []Times
	}{{"ours (hashed, relocated, checked)", r.Ours}, {"zstd -dc | tar x (; syncfs)", r.Tar}} {
		text += fmt.Sprintf("%-36s", way.name)
		for _, of := range columns {
			least, most := time.Duration(1<<62), time.Duration(0)
			for _, t := range way.times {
				least, most = min(least, of(t)), max(most, of(t))
			}
			text += fmt.Sprintf(" %6.2f s (%5.2f–%5.2f) ", median(way.times, of).Seconds(), least.Seconds(), most.Seconds())
		}
		text += "\n"
	}
	text += fmt.Sprintf("%-36s", "ratio (aim: at most 1.10)")
	for _, ratio := range r.Ratio() {
		text += fmt.Sprintf(" %6.2f                 ", ratio)
	}
	_, err := io.WriteString(w, text+"\n")
	return err
}

// Synthetic writes a pack like the real one in miniature into dir: many small texts, some big programs, about size bytes.
func Synthetic(ctx context.Context, dir, arch string, size int64) (file string, err error) {
	file = filepath.Join(dir, "synthetic.tar.zst")
	out, err := os.Create(file)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	spec := pack.Spec{Arch: arch, Policy: "none", Parts: []pack.Part{{Name: "base"}, {Name: "claude"}}}
	_, err = pack.Write(ctx, out, spec, synthetic(size), pack.Options{Temp: dir})
	return file, err
}
