// Package sqlite opens SQLite databases that serve as a cache, and so may be deleted and built again at any
// time.
//
// Processes share such a database: write-ahead log, one writer at a time, readers that are
// never blocked. Its contents can be made again. So a database that is damaged, or of
// another version than the program's, is not an error: an empty one takes its place. A damaged
// one is kept under another name. Commits survive the death of the process; if the machine
// dies, the last ones may be lost, each as a whole.
//
// SQLite maps the -shm file beside the database, and a process that has it open would crash
// when somebody truncates that file in place. It gets empty pages instead, and the database
// counts as damaged.
//
// It never changes a database of another version in place.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
)

// busyTimeout is how long a statement waits for a lock that another process
// holds. Transactions here are short; one that takes longer is stuck.
const busyTimeout = 10 * time.Second

// longestOpening is how long an opening waits for that of another process, which takes
// milliseconds. It is a variable for tests.
var longestOpening = time.Minute

// readers is how many connections may read at once in one process.
const readers = 4

// A DB is an open database. It is safe for concurrent use.
type DB struct {
	path     string
	read     *sql.DB
	write    *sql.DB
	file     os.FileInfo // what the path led to when it was opened
	settled  atomic.Bool // file is known
	setAside string
	faults   uint64 // of mapped files before it was opened
}

// Open opens the database at path and makes it, with the statements of schema,
// if it is not there. The folder must exist. If what is there is no intact
// database of this version, it is set aside, see [DB.SetAside], or removed if it
// is only of another version. One of another version that somebody has open stays:
// the error is [ErrInUse].
func Open(ctx context.Context, path, schema string, version int) (*DB, error) {
	unlock, err := lockOpening(ctx, path)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := clearPlace(path); err != nil {
		return nil, err
	}
	d, err := open(ctx, path, schema, version)
	if err == nil {
		return d, nil
	}
	why := ""
	switch {
	case errors.As(err, new(*versionError)):
		if inUse(ctx, path) {
			return nil, ErrInUse
		}
		err = remove(path)
	case IsCorrupt(err):
		why, err = err.Error(), setAside(path)
	}
	if err != nil {
		return nil, err
	}
	if d, err = open(ctx, path, schema, version); err != nil {
		return nil, err
	}
	d.setAside = why
	return d, nil
}

// ErrInUse says that a database of another version is open.
var ErrInUse = errors.New("a program of another version uses the database")

// InUse reports whether somebody has the database at path open.
func InUse(ctx context.Context, path string) (bool, error) {
	unlock, err := lockOpening(ctx, path)
	if err != nil {
		return false, err
	}
	defer unlock()
	return inUse(ctx, path), nil
}

// inUse tries what SQLite allows only if no other connection is open, and all of them keep one open.
func inUse(ctx context.Context, path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	name, err := named(path)
	if err != nil {
		return false
	}
	alone := sql.OpenDB(connector{dsn(name, "rw"), []string{"PRAGMA busy_timeout = 0", "PRAGMA journal_mode = DELETE"}, func() error { return nil }})
	defer alone.Close()
	return IsLocked(alone.PingContext(ctx))
}

// Discard sets the database at path aside unless it is no longer the one that d
// opened. It is for a damage that showed after opening; d is to be closed.
func (d *DB) Discard(ctx context.Context) error {
	unlock, err := lockOpening(ctx, d.path)
	if err != nil {
		return err
	}
	defer unlock()
	if d.Replaced() {
		return nil
	}
	return setAside(d.path)
}

// SetAside says why the database found at opening was set aside; "" if it was not.
func (d *DB) SetAside() string { return d.setAside }

// Replaced reports whether the path no longer leads to the database that is
// open, because somebody removed it or set it aside.
func (d *DB) Replaced() bool {
	now, err := os.Stat(d.path)
	return err != nil || !os.SameFile(now, d.file)
}

// stillThere returns an error once the database was replaced: a connection is made by
// name, at any time, and would be one to another database.
func (d *DB) stillThere() error {
	if d.settled.Load() && d.Replaced() {
		return fmt.Errorf("sqlite: another database has taken the place of this one: %w", ErrCorrupt)
	}
	return nil
}

// Reader returns the connections for reading. They refuse to write.
func (d *DB) Reader() *sql.DB { return d.read }

// View runs f in one transaction that sees one state of the database.
func (d *DB) View(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.read.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlite: begin: %w", err)
	}
	defer tx.Rollback() // ends a read; there is nothing to keep
	return d.withDamage(f(tx))
}

// Write runs f in one transaction that holds the write lock from its start. If f
// fails or panics, nothing of it is kept. Statements in f are best run without a
// cancellable context, which costs a goroutine each.
func (d *DB) Write(ctx context.Context, f func(*sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := d.write.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return fmt.Errorf("sqlite: begin: %w", err)
	}
	defer tx.Rollback() // after Commit it does nothing
	if err := d.withDamage(f(tx)); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("sqlite: commit: %w", err)
	}
	return d.Harmed()
}

// Locked reports whether another connection holds the lock for writing. It does not wait.
func (d *DB) Locked(ctx context.Context) bool {
	conn, err := d.write.Conn(ctx)
	if err != nil {
		return false
	}
	defer conn.Close()
	wait := func(most time.Duration) error {
		_, err := conn.ExecContext(context.WithoutCancel(ctx), fmt.Sprintf("PRAGMA busy_timeout = %d", most.Milliseconds()))
		return err
	}
	if wait(0) != nil {
		return false
	}
	_, err = conn.ExecContext(context.WithoutCancel(ctx), "BEGIN IMMEDIATE; ROLLBACK")
	_ = wait(busyTimeout) // it only fails if all else will
	return IsLocked(err)
}

// Checkpoint moves the write-ahead log into the database and empties it, as far
// as readers of other processes allow.
func (d *DB) Checkpoint(ctx context.Context) error {
	if _, err := d.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return fmt.Errorf("sqlite: checkpoint: %w", err)
	}
	return nil
}

// Check reads the whole database and returns what is wrong with it, as far as
// SQLite can tell; nil if nothing is. It takes some seconds per gigabyte.
func (d *DB) Check(ctx context.Context) error {
	var answer string
	if err := d.read.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&answer); err != nil {
		return fmt.Errorf("sqlite: check: %w", err)
	}
	if answer != "ok" {
		return fmt.Errorf("sqlite: check: %s: %w", answer, sqlite3.ErrCorrupt)
	}
	return nil
}

// Close closes all connections.
func (d *DB) Close() error { return errors.Join(d.read.Close(), d.write.Close()) }

// ErrCorrupt is for callers that find rows which contradict each other; it is
// damage to [IsCorrupt].
var ErrCorrupt = errors.New("database is damaged")

// IsCorrupt reports whether err says that a file is not a database or a damaged
// one, rather than that something could not be done just now.
//
// SQLite has no checksums. A flipped bit may leave the structure whole and change
// what is in it: the name of a column, the type or the length of a value. The
// statements of a program and the schema made with it always fit, and so a
// statement that the schema, a constraint or the type of a value contradicts is
// damage too.
func IsCorrupt(err error) bool {
	if errors.Is(err, sqlite3.ErrCorrupt) || errors.Is(err, ErrCorrupt) { // whatever SQLite makes of it
		return true
	}
	var e sqlite3.Error
	if errors.As(err, &e) {
		switch e.Code {
		case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat, sqlite3.ErrError, sqlite3.ErrConstraint,
			sqlite3.ErrMismatch:
			return true
		}
		return e.ExtendedCode == sqlite3.ErrIoErrShortRead
	}
	// Package sql has no type for what Scan returns when a value does not convert.
	return err != nil && strings.Contains(err.Error(), "sql: Scan error on column index ")
}

// A versionError says that an intact database is not one of ours, or of another
// version.
type versionError struct{ got, want int }

func (e *versionError) Error() string {
	return fmt.Sprintf("database has version %d, want %d", e.got, e.want)
}

// open opens or makes the database and checks it against the version.
func open(ctx context.Context, path, schema string, version int) (*DB, error) {
	name, err := named(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	d := &DB{path: path, faults: mappedFaults()}
	d.write = sql.OpenDB(connector{dsn(name, "rwc"), writePragmas, d.stillThere})
	d.write.SetMaxOpenConns(1)
	d.write.SetMaxIdleConns(1)
	d.read = sql.OpenDB(connector{dsn(name, "rw"), readPragmas, d.stillThere})
	d.read.SetMaxOpenConns(readers)
	d.read.SetMaxIdleConns(readers)
	if err = d.prepare(ctx, schema, version); err == nil {
		d.file, err = os.Stat(path)
		d.settled.Store(err == nil)
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("sqlite: open %s: %w", path, linked(path, err))
	}
	return d, nil
}

// prepare makes the tables unless they are there. It does not wait for a writer
// if they are.
func (d *DB) prepare(ctx context.Context, schema string, version int) error {
	const look = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)"
	var have, tables int
	if _, err := os.Stat(d.path); err == nil {
		if err := d.read.QueryRowContext(ctx, look).Scan(&have, &tables); err != nil {
			return err
		}
		if have == version && tables > 0 {
			return nil
		}
	}
	return d.Write(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRow(look).Scan(&have, &tables); err != nil {
			return err
		}
		if have != 0 || tables > 0 {
			return &versionError{have, version}
		}
		if _, err := tx.Exec(schema); err != nil {
			return err
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
		return err
	})
}

// setAside renames the database and its log, so that they belong together under
// the new name too. One that was set aside earlier is lost.
func setAside(path string) error {
	for _, suffix := range []string{"-shm", "-wal", "-journal", ""} {
		if err := moveAside(path + suffix); err != nil {
			return fmt.Errorf("sqlite: set aside: %w", err)
		}
	}
	return nil
}

// remove removes the database and its log.
func remove(path string) error {
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if err := repofile.At(path + suffix).Remove(); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("sqlite: remove: %w", err)
		}
	}
	return nil
}

// lockOpening keeps two processes from making or setting aside the same database
// at once. The lock file stays: removing it would let a third process lock
// another file of the same name.
func lockOpening(ctx context.Context, path string) (func(), error) {
	for _, suffix := range []string{"", ".lock", "-wal", "-shm", "-journal"} { // SQLite would follow a link
		if err := repofile.At(path + suffix).Check(); err != nil {
			return nil, fmt.Errorf("sqlite: %w", err)
		}
	}
	if err := ClearLock(path + ".lock"); err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	l, err := atomicfile.LockFile(path + ".lock")
	if err != nil {
		return nil, fmt.Errorf("sqlite: lock %s: %w", path, err)
	}
	waiting, stop := context.WithTimeoutCause(ctx, longestOpening, errLocked)
	defer stop()
	if _, err := l.TryLockContext(waiting, 5*time.Millisecond); err != nil {
		return nil, fmt.Errorf("sqlite: lock %s: %w", path, cmp.Or(context.Cause(waiting), err))
	}
	return func() { l.Unlock() }, nil
}

// errLocked says, in SQLite's words, that a process that opens the database does not come to an
// end: somebody has stopped it.
var errLocked = errors.New("database is locked")

// IsLocked reports whether an error means that another program holds the database, and did not
// let go of it while a statement waited.
func IsLocked(err error) bool {
	e := sqlite3.Error{}
	return errors.Is(err, errLocked) || errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}

// writePragmas and readPragmas are set on every new connection, in order.
var (
	writePragmas = []string{
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = NORMAL", // a cache may lose its last commits, not its structure
		"PRAGMA cache_size = -8000",
		"PRAGMA temp_store = MEMORY",
		"PRAGMA cell_size_check = ON",
		"PRAGMA trusted_schema = OFF",
		"PRAGMA journal_size_limit = 16777216",
		"PRAGMA wal_autocheckpoint = 4000",
	}
	readPragmas = []string{
		"PRAGMA cache_size = -2000",
		"PRAGMA temp_store = MEMORY",
		"PRAGMA cell_size_check = ON",
		"PRAGMA trusted_schema = OFF",
		"PRAGMA query_only = ON",
	}
)

// A connector makes connections with the pragmas set. It stands in for
// sql.Register, whose names are global.
type connector struct {
	dsn     string
	pragmas []string
	check   func() error // called with every new connection
}

func (c connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func (c connector) Connect(context.Context) (driver.Conn, error) {
	d := &sqlite3.SQLiteDriver{ConnectHook: func(conn *sqlite3.SQLiteConn) error {
		for _, p := range c.pragmas {
			if _, err := conn.Exec(p, nil); err != nil {
				return fmt.Errorf("%s: %w", strings.ToLower(p), err)
			}
		}
		return nil
	}}
	conn, err := d.Open(c.dsn)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// dsn spells the path as a URI, so that no character in it is treated as an
// option. Write transactions take the lock at once: one that began as a reader
// could not wait for it.
func dsn(path, mode string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a volume name
	}
	options := url.Values{"mode": {mode}, "_busy_timeout": {fmt.Sprint(busyTimeout.Milliseconds())}}
	if mode == "rwc" {
		options.Set("_txlock", "immediate")
	}
	u := url.URL{Scheme: "file", Path: p, RawQuery: options.Encode()}
	return u.String()
}

// OpenReader opens the database at path for reading only, if it is there and of
// this version; it makes and changes nothing.
func OpenReader(ctx context.Context, path string, version int) (*sql.DB, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	if err := repofile.At(path).Folder().CheckFolder(); err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	name, err := named(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite: open %s: %w", path, err)
	}
	db := sql.OpenDB(connector{dsn(name, "ro"), readPragmas, func() error { return nil }})
	db.SetMaxOpenConns(readers)
	var have int
	err = db.QueryRowContext(ctx, "SELECT user_version FROM pragma_user_version").Scan(&have)
	if err == nil && have != version {
		err = &versionError{have, version}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlite: open %s: %w", path, linked(path, err)), db.Close())
	}
	return db, nil
}
