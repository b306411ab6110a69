//go:build !unix

package project

import "os"

// mayWrite reports whether this process may make files in a folder; here only trying
// would tell.
func mayWrite(string) bool { return true }

// privateTemp returns a folder for temporary files that is this user's alone: here the
// user's cache has always one.
func privateTemp() (string, bool) { return "", false }

// ownedAs reports whether a file belongs to this user or to the owner of a folder; here
// nobody asks.
func ownedAs(string, string) bool { return true }

// ofUser reports whether a path is a folder of this user: here their cache has no others.
func ofUser(string, os.FileMode) bool { return true }
