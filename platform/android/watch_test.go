package android

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A change is told once, an error once, and the return to what was before the error too.
func TestWatchTellsChanges(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	wifi, cell, gone := Network{Interface: "wlan0"}, Network{Interface: "rmnet0"}, errors.New("gone")
	reads := []struct {
		n   Network
		err error
	}{{wifi, nil}, {wifi, nil}, {cell, nil}, {Network{}, gone}, {Network{}, gone}, {cell, nil}, {cell, nil}}
	i := 0
	read := func() (Network, error) {
		if i == len(reads) {
			cancel()
			return Network{}, nil
		}
		r := reads[i]
		i++
		return r.n, r.err
	}
	var told []string
	watch(ctx, time.Microsecond, read, func(n Network, err error) {
		if err != nil {
			told = append(told, err.Error())
		} else {
			told = append(told, n.Interface)
		}
	})
	want := []string{"wlan0", "rmnet0", "gone", "rmnet0"}
	if len(told) != len(want) {
		t.Fatalf("told %v, want %v", told, want)
	}
	for i := range want {
		if told[i] != want[i] {
			t.Fatalf("told %v, want %v", told, want)
		}
	}
}
