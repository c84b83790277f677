package unpack

import (
	"context"
	"fmt"

	"keva/engines/userland/pack"
)

// Repair hashes the whole tree and replaces what is wrong in it, reading only the parts of the pack that it needs. src
// must hold the same version. What users added stays; a folder of theirs that stands where a file belongs is moved
// aside. It returns the tree as it is then. Options as for [Install].
func (t Tree) Repair(ctx context.Context, src pack.Source, o Options) (Tree, error) {
	o = o.defaults()
	r, err := pack.NewReader(src)
	if err != nil {
		return t, err
	}
	if id := r.Manifest().ID; id != t.Manifest.ID {
		return t, &pack.Error{
			Reason: pack.ReasonVersion, Detail: fmt.Sprintf("the tree is %s, the pack %s", t.Manifest.ID, id),
			Message: "The userland pack is of another version than what is installed. Install it instead of repairing.",
		}
	}
	p := placesOf(t)
	unlock, err := lock(ctx, p.lock(), o.Waiting)
	if err != nil {
		return t, err
	}
	defer unlock()
	return o.renew(ctx, r, p, t, Full)
}
