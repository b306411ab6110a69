// Package chroma is a [vectors.Store] in a Chroma server, over version 2 of its
// HTTP interface: for indexes beyond one machine or shared by a team.
//
// It speaks to no server but the one that it is told, follows no redirects, and
// sends no token over a connection that others could read. A server that does not
// answer is a Problem with the ways out; nothing waits for it longer than the
// timeouts say. Its nearest neighbours are approximate, as Chroma's are.
//
// A collection of Chroma belongs to one model. If the server has one of the name
// by another model, it is left alone, and ours bears the model in its name.
package chroma
