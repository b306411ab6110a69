package request

import "codeintel/internal/platform/msg"

// A refusal is an error that is a message: something in the request is wrong.
type refusal struct{ message msg.Message }

func refused(key string, args ...any) error { return refusal{msg.New(key, args...)} }

// Error implements error.
func (r refusal) Error() string { return r.message.String() }

// AsMessage returns the message.
func (r refusal) AsMessage() msg.Message { return r.message }
