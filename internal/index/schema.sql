-- The system of record of the index. See package index.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value ANY NOT NULL
) STRICT, WITHOUT ROWID;

-- What was read in one text. Several files may share it, and it stays for a
-- while when none does, so that switching branches parses nothing twice.
CREATE TABLE contents (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL,           -- SHA-256 of the file's bytes
    language TEXT NOT NULL,
    recipe   TEXT NOT NULL,           -- how it was cut; see recipe in Go
    record   BLOB NOT NULL,           -- see record.pack in Go
    used     INTEGER NOT NULL,        -- last generation in which a file had it
    UNIQUE (hash, language, recipe)
) STRICT;

CREATE TABLE files (
    path    TEXT PRIMARY KEY,
    size    INTEGER NOT NULL,
    mtime   INTEGER NOT NULL,         -- Unix nanoseconds; 0 if it may change unseen
    class   TEXT NOT NULL,
    content INTEGER REFERENCES contents (id), -- NULL: looked at and not indexed
    segment INTEGER REFERENCES segments (id), -- NULL: in no segment yet
    restat  INTEGER NOT NULL DEFAULT 0        -- 1: the segment has another size or mtime
) STRICT;

CREATE INDEX files_content ON files (content);
CREATE INDEX files_segment ON files (segment);
CREATE INDEX files_fresh   ON files (path) WHERE segment IS NULL;
CREATE INDEX files_restat  ON files (path) WHERE restat = 1;

CREATE TABLE segments (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE,       -- of its file, and the label in it
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT;

-- Files of a segment that changed or went since it was written.
CREATE TABLE dead (
    segment INTEGER NOT NULL REFERENCES segments (id),
    path    TEXT NOT NULL,
    PRIMARY KEY (segment, path)
) STRICT, WITHOUT ROWID;
