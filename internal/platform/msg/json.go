package msg

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"codeintel/internal/platform/op"
	"codeintel/internal/platform/plainjson"
)

// wire is a message, or an argument that is not a plain value, in a file. Exactly one
// of Key, Op, Param, Fields, Items, Text and Blank says which.
type wire struct {
	Key    string            `json:"key,omitempty"`
	Op     op.Name           `json:"op,omitempty"`
	Param  Param             `json:"param,omitempty"`
	Args   []json.RawMessage `json:"args,omitempty"`   // of a key
	Fields []wireField       `json:"fields,omitempty"` // of an operation, or an object
	Join   string            `json:"join,omitempty"`
	Items  []json.RawMessage `json:"items,omitempty"`
	Text   string            `json:"text,omitempty"` // a literal message
	List   []string          `json:"list,omitempty"`
	Blank  bool              `json:"blank,omitempty"`
	Call   bool              `json:"call,omitempty"` // an operation with its arguments, not its name
}

type wireField struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// MarshalJSON writes the text of a bound message and of a literal, and otherwise
// the message as data.
func (m Message) MarshalJSON() ([]byte, error) {
	switch {
	case m.fixed:
		return plainjson.Encode(m.bound)
	case m.IsZero():
		return []byte(`""`), nil
	case m.key == "":
		return encodeValue(m.args[0])
	}
	args, err := encodeAll(m.args)
	if err != nil {
		return nil, err
	}
	return plainjson.Encode(wire{Key: m.key, Args: args})
}

// UnmarshalJSON reads what MarshalJSON wrote; a plain string is a literal.
func (m *Message) UnmarshalJSON(data []byte) error {
	v, err := decodeValue(data)
	if err != nil {
		return err
	}
	switch v := v.(type) {
	case nil:
		*m = Message{}
	case Message:
		*m = v
	case string:
		*m = Literal(v)
	default:
		*m = Message{args: []any{v}}
	}
	return nil
}

func encodeAll(values []any) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for _, v := range values {
		raw, err := encodeValue(v)
		if err != nil {
			return nil, err
		}
		all = append(all, raw)
	}
	return all, nil
}

func encodeFields(fields Fields) ([]wireField, error) {
	var all []wireField
	for _, f := range fields {
		raw, err := encodeValue(f.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, wireField{f.Name, raw})
	}
	return all, nil
}

func encodeValue(v any) (raw json.RawMessage, err error) {
	w := wire{}
	switch v := v.(type) {
	case Message:
		if v.key == "" && !v.fixed && len(v.args) == 1 { // else it would be read as a string argument
			if text, ok := v.args[0].(string); ok {
				return plainjson.Encode(wire{Text: text})
			}
		}
		return v.MarshalJSON()
	case float64:
		s := strconv.FormatFloat(v, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eE") {
			s += ".0" // else it would be read as an integer
		}
		return json.RawMessage(s), nil
	case List:
		w.Join = v.Sep
		if w.Items, err = encodeAll(v.Items); w.Items == nil {
			return json.RawMessage("[]"), err
		}
	case Call:
		w.Op, w.Call = v.Op, true
		w.Fields, err = encodeFields(v.Args)
	case Fields:
		w.Fields, err = encodeFields(v)
	case []string:
		w.List = v
	case op.Name:
		w.Op = v
	case Param:
		w.Param = v
	case blank:
		w.Blank = true
	default:
		return plainjson.Encode(v)
	}
	if err != nil {
		return nil, err
	}
	return plainjson.Encode(w)
}

func decodeAll(raw []json.RawMessage) ([]any, error) {
	var all []any
	for _, r := range raw {
		v, err := decodeValue(r)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func decodeFields(raw []wireField) (Fields, error) {
	var all Fields
	for _, r := range raw {
		v, err := decodeValue(r.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, Field{r.Name, v})
	}
	return all, nil
}

func decodeValue(data []byte) (any, error) {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || data[0] != '{' {
		return decodePlain(data)
	}
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	switch {
	case w.Key != "":
		args, err := decodeAll(w.Args)
		return Message{key: w.Key, args: args}, err
	case w.Call: // before Op, which arguments alone do not have
		fields, err := decodeFields(w.Fields)
		return Call{w.Op, fields}, err
	case w.Op != "":
		return w.Op, nil
	case w.Param != "":
		return w.Param, nil
	case w.Fields != nil:
		return decodeFields(w.Fields)
	case w.List != nil:
		return w.List, nil
	case w.Blank:
		return Blank, nil
	case w.Text != "":
		return Literal(w.Text), nil
	}
	items, err := decodeAll(w.Items)
	return List{Sep: w.Join, Items: items}, err
}

func decodePlain(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return v.Float64()
		}
		return v.Int64()
	case []any:
		return List{}, nil
	}
	return v, nil
}
