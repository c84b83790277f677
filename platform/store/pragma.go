package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"

	"github.com/mattn/go-sqlite3"
)

// pragma is one setting of a connection, with the reason for it.
type pragma struct{ sql, why string }

// All pragmas are here and nowhere else. They hold per connection, so each new one runs them in this order.
var (
	onEvery = []pragma{
		{"PRAGMA busy_timeout = 5000", "a reader may meet the moment of a checkpoint; waiting is right, failing is not"},
		{"PRAGMA foreign_keys = ON", "off by default in SQLite; events of a deleted session must go with it"},
		{"PRAGMA temp_store = MEMORY", "phones have no usable /tmp, and a sort must not leave transcripts outside the data folder"},
		{"PRAGMA trusted_schema = OFF", "a data file that somebody else made must not run functions through its schema"},
		{"PRAGMA cell_size_check = ON", "finds a damaged page when it is read, instead of acting on it"},
		{"PRAGMA mmap_size = 0", "with a mapped file a disk error is a SIGBUS that ends the app; read() gives an error"},
	}
	onDisk = []pragma{
		{"PRAGMA auto_vacuum = INCREMENTAL", "lets a deleted session give its space back; must come before the first page is written"},
		{"PRAGMA journal_mode = WAL", "reading a long session does not wait for the writer, and one commit is one fsync"},
		{"PRAGMA synchronous = FULL", "durable before acknowledged: NORMAL may lose the last commits when the power goes"},
		{"PRAGMA journal_size_limit = 16777216", "a long burst must not leave a huge journal behind on a phone"},
		{"PRAGMA secure_delete = ON", "a deleted session must not stay readable in free pages"},
	}
	onRead = []pragma{
		{"PRAGMA query_only = ON", "only the one writer writes; a slip here fails at once, not as a lock later"},
	}
)

// connector opens connections of one database with one set of pragmas, without a driver registered for the whole
// program.
type connector struct {
	dsn string
	drv *sqlite3.SQLiteDriver
}

func newConnector(dsn string, sets ...[]pragma) connector {
	return connector{dsn, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		for _, set := range sets {
			for _, p := range set {
				if _, err := c.Exec(p.sql, nil); err != nil {
					return fmt.Errorf("%s: %w", p.sql, err)
				}
			}
		}
		return nil
	}}}
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.drv.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.drv }

// fileDSN names a file with any characters in its path. mode is SQLite's: ro, rw, rwc. Every transaction takes the write
// lock at its start, so none fails half-way because another was faster.
func fileDSN(path, mode string) string {
	u := url.URL{Scheme: "file", Path: path}
	return u.String() + "?mode=" + mode + "&_txlock=immediate"
}

// one limits a handle to one connection that is never closed for being idle.
func one(db *sql.DB) *sql.DB {
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	return db
}
