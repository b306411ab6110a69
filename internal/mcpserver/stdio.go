package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio serves one client that writes to in and reads from out, until in
// ends or ctx does.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	server, err := s.MCP()
	if err != nil {
		return err
	}
	w := &lineWriter{w: out}
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(sift(in, pw, w)) }() // ends with in, or at the first write after pr is closed
	defer pr.Close()
	session, err := server.Connect(ctx, &mcp.IOTransport{Reader: pr, Writer: w, MaxLineLength: maxLine}, nil)
	if err != nil {
		return fmt.Errorf("serve standard input: %w", err)
	}
	defer context.AfterFunc(ctx, func() { session.Close() })()
	if err := session.Wait(); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve standard input: %w", err)
	}
	return nil
}

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

// sift passes the lines of in that hold a message on to out. A line that holds
// none is answered as the protocol wants it, and dropped: for the library below
// it would be the end of the connection.
func sift(in io.Reader, out io.Writer, answers io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if answer := fault(line); answer != nil {
				if _, err := answers.Write(answer); err != nil {
					return err
				}
			} else if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if errors.Is(err, errLongLine) {
			if _, err := answers.Write(faultLine(jsonrpc.CodeInvalidRequest, err.Error())); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
	}
}

var errLongLine = fmt.Errorf("message is longer than %d bytes", maxLine)

// readLine reads up to the end of a line. Of a line that is too long it returns
// nothing and errLongLine, and reads all of it.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && err == nil:
			return nil, errLongLine
		}
		return line, err
	}
}

// fault returns the error line for a line that holds no message, or nil.
func fault(line []byte) []byte {
	if !json.Valid(line) {
		return faultLine(jsonrpc.CodeParseError, "this line is not JSON; send one message a line")
	}
	if line[0] == '[' {
		return faultLine(jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line")
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return faultLine(jsonrpc.CodeInvalidRequest, "this is no JSON-RPC 2.0 message: "+err.Error())
	}
	return nil
}

func faultLine(code int, message string) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		text = []byte(`""`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%s}}`+"\n", code, text)
}

// A lineWriter lets several write whole lines in turn.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lineWriter) Close() error { return nil }
