package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"keva/engines/userland/pack"
	"keva/engines/userland/unpack"
	"keva/test/jail/drive"
)

// unpackAPK unpacks the userland out of an APK into root, as the app does at its first start, and says where it is.
func unpackAPK(apk, root string, out *json.Encoder) error {
	source, err := pack.OpenAPK(apk, drive.PackEntry)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // only read
	begun := time.Now()
	tree, err := unpack.Install(context.Background(), source, root, unpack.Options{})
	if err != nil {
		return err
	}
	took := time.Since(begun)
	report, err := tree.Check(context.Background(), unpack.Full)
	if err != nil || !report.OK() || report.Extras > 0 {
		return fmt.Errorf("installed, and not what the pack says: %v, %d more files %v (%v)", report.Problems, report.Extras, report.Extra, err)
	}
	return out.Encode(drive.Installed{Tree: tree.Root, Took: took})
}
