package plan

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"keva/agent/budget"
)

// facts is the machine, or a test's idea of one. Amounts are bytes.
type facts interface {
	memory() (int64, error)
	disk(dir string) (int64, error)
}

type machine struct{}

// memory is what programs can get without anything being ended for it.
func (machine) memory() (int64, error) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(data) {
		var kb int64
		if n, _ := fmt.Sscanf(string(line), "MemAvailable: %d kB", &kb); n == 1 {
			return kb << 10, nil
		}
	}
	return 0, errors.New("/proc/meminfo does not say what is available")
}

func (machine) disk(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil //nolint:gosec // no disk has 2^63 bytes
}

// resources looks at what runs out.
func resources(m facts, place Place) []Problem {
	var found []Problem
	look := func(r Reason, amount int64, err error, low int64, what string) {
		switch {
		case err != nil:
			p := place.problem(r, "", err.Error())
			p.Weight, p.Message, p.Remedy = Unknown, "How much "+what+" is free can't be found out.", ""
			found = append(found, *p)
		case amount < low:
			found = append(found, *place.problem(r, fmt.Sprintf("%d MB", amount/1e6), fmt.Sprintf("%d bytes, %d are little", amount, low)))
		}
	}
	memory, err := m.memory()
	look(MemoryLow, memory, err, budget.LowMemory.Size, "memory")
	disk, err := m.disk(or(or(place.Data, place.Home), os.TempDir()))
	look(DiskLow, disk, err, budget.LowDisk.Size, "storage")
	return found
}
