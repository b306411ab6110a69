//go:build !unix

package project

import "os"

// mayWrite reports whether this process may make files in a folder; here only trying
// would tell.
func mayWrite(string) bool { return true }

// privateTemp returns a folder for temporary files that is this user's alone. It is not
// needed here: the cache folder of the user can always be used.
func privateTemp() (string, bool) { return "", false }

// ownedAs reports whether a file belongs to this user or to the owner of a folder. On this
// system it is not checked.
func ownedAs(string, string) bool { return true }

// ofUser reports whether a path is a folder of this user. On this system it is not checked.
func ofUser(string, os.FileMode) bool { return true }
