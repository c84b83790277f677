package trustscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"
)

// node is a JSON value that knows its line.
type node struct {
	line   int
	raw    json.RawMessage
	fields []field // of an object, in the order of the file; of a name that is there twice the last counts
	items  []node  // of an array
}

type field struct {
	name string
	node
}

// text is the value of a string.
func (n node) text() (string, bool) {
	var s string
	if len(n.raw) == 0 || n.raw[0] != '"' || json.Unmarshal(n.raw, &s) != nil {
		return "", false
	}
	return s, true
}

// get is the field of an object; the zero node when there is none.
func (n node) get(name string) node {
	for _, f := range n.fields {
		if f.name == name {
			return f.node
		}
	}
	return node{}
}

func (n node) isObject() bool { return len(n.raw) > 0 && n.raw[0] == '{' }

// strings are the texts of an array; ok is false when it is something else.
func (n node) strings() (list []node, ok bool) {
	for _, it := range n.items {
		if _, isText := it.text(); !isText {
			return nil, false
		}
	}
	return n.items, len(n.raw) > 0 && n.raw[0] == '['
}

var (
	errDeep = errors.New("it is nested too deeply")
	errTail = errors.New("there is something after its end")
)

// parseJSON reads one value. encoding/json alone would lose the lines.
func parseJSON(data []byte) (node, error) {
	if !utf8.Valid(data) {
		return node{}, errors.New("it is not UTF-8 text")
	}
	p := &jsonParser{data: data, dec: json.NewDecoder(bytes.NewReader(data)), line: 1}
	p.dec.UseNumber()
	n, err := p.value(0)
	if err != nil {
		return node{}, err
	}
	if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
		return node{}, errTail
	}
	return n, nil
}

type jsonParser struct {
	data []byte
	dec  *json.Decoder
	at   int // up to where lines were counted
	line int
}

// start is where the next token begins, with its line.
func (p *jsonParser) start() (offset, line int) {
	offset = int(p.dec.InputOffset())
	for offset < len(p.data) && bytes.IndexByte([]byte(" \t\r\n,:"), p.data[offset]) >= 0 {
		offset++
	}
	p.line += bytes.Count(p.data[p.at:offset], []byte{'\n'})
	p.at = offset
	return offset, p.line
}

func (p *jsonParser) value(depth int) (node, error) {
	if depth > maxTrustDepth {
		return node{}, errDeep
	}
	from, line := p.start()
	n := node{line: line}
	tok, err := p.dec.Token()
	if err != nil {
		return n, err
	}
	delim, _ := tok.(json.Delim)
	at := map[string]int{}
	for delim != 0 && p.dec.More() {
		var name string
		var nameLine int
		if delim == '{' {
			_, nameLine = p.start()
			tok, err := p.dec.Token()
			if err != nil {
				return n, err
			}
			name, _ = tok.(string) // the decoder takes nothing else
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		if delim == '[' {
			n.items = append(n.items, v)
			continue
		}
		v.line = nameLine
		if i, twice := at[name]; twice {
			n.fields[i].node = v
			continue
		}
		at[name] = len(n.fields)
		n.fields = append(n.fields, field{name, v})
	}
	if delim != 0 {
		if _, err := p.dec.Token(); err != nil { // the closing bracket
			return n, err
		}
	}
	n.raw = json.RawMessage(p.data[from:p.dec.InputOffset()])
	return n, nil
}

// compact is a value on one line.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
