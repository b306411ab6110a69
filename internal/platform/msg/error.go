package msg

import "errors"

// failure is an error that says a message.
type failure struct{ message Message }

// Err returns an error that says the message of key.
func Err(key string, args ...any) error { return failure{New(key, args...)} }

// Error implements error, in English.
func (f failure) Error() string { return f.message.String() }

// AsMessage returns the message.
func (f failure) AsMessage() Message { return f.message }

// Of returns what an error says: its own message if it has one, else its text.
func Of(err error) Message {
	if m := messager(nil); errors.As(err, &m) {
		return m.AsMessage()
	}
	return Literal(err.Error())
}
