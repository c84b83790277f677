package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// checkBudget bounds the integrity check at open: a large sound file must not delay the start. What the check did not
// reach is still found when it is read (cell_size_check).
const checkBudget = 2 * time.Second

// check looks at a file without changing it: its version, and whether it is sound. search says what is wrong with the
// search index alone, which is derived and no reason to put everything aside.
func check(ctx context.Context, path string) (v int, search, err error) {
	// A read-only handle sees the journal of a process that was killed, and leaves both as they are.
	db := one(sql.OpenDB(newConnector(fileDSN(path, "ro"), onEvery, onRead)))
	defer func() { err = errors.Join(err, db.Close()) }()
	v, err = version(ctx, db)
	if err != nil || v == 0 {
		return v, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, checkBudget)
	defer cancel()
	names, err := tables(limited, db)
	for i := 0; err == nil && i < len(names); i++ {
		err = sound(limited, db, names[i])
		if err != nil && names[i] == "texts" {
			search, err = err, nil
		}
	}
	if limited.Err() != nil && ctx.Err() == nil {
		return v, nil, nil // the time is up, and nothing was found so far
	}
	return v, search, err
}

// tables lists what is checked: all tables but the ones in which the search index keeps its pages; it checks those itself.
func tables(ctx context.Context, db *sql.DB) (names []string, err error) {
	rows, err := db.QueryContext(ctx, `SELECT name FROM pragma_table_list
		WHERE schema = 'main' AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var n string
		if err := rows.Scan(&n); err != nil {
			return nil, err
		}
		names = append(names, n)
	}
	return names, rows.Err()
}

// sound returns errDamaged when SQLite finds damage in a table or its indexes.
func sound(ctx context.Context, db *sql.DB, table string) error {
	var verdict string
	if err := db.QueryRowContext(ctx, "SELECT * FROM pragma_quick_check(?)", table).Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s: %s", errDamaged, table, verdict)
	}
	return nil
}

// rebuildSearch makes the index anew from the texts that it keeps beside it.
func rebuildSearch(ctx context.Context, db *sql.DB) error {
	return inTx(ctx, db, func(tx *sql.Tx) error {
		_, err := tx.Exec("INSERT INTO texts (texts) VALUES ('rebuild')")
		return err
	})
}
