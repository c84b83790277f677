//go:build !android && !jvmtest

package android

import "errors"

func readNetwork() (Network, error) { return Network{}, errors.New("this is not Android") }
