// Command client makes calls with the client that is generated from the contract. Each line of its input is a call in
// JSON, and each line of its output the answer. The generated types have to hold all that a request and an answer
// have: what they lose is an error.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"

	"client/contract"
)

// call is a request, by the name that the contract gives to its operation.
type call struct {
	Operation string
	Path      []string // the variables of the path, in their order
	Query     url.Values
	Header    http.Header
	Body      json.RawMessage // nil for none
	Form      string          // a body that is a form
}

type answer struct {
	Status int
	Header http.Header
	Raw    string
}

func main() {
	client, err := contract.NewClientWithResponses(os.Getenv("BASE_URL"))
	if err != nil {
		exit(err)
	}
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var c call
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			exit(err)
		}
		a, err := c.make(client)
		if err != nil {
			exit(fmt.Errorf("%s: %w", c.Operation, err))
		}
		if err := out.Encode(a); err != nil {
			exit(err)
		}
	}
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// make calls the method of the operation. Its arguments are a context, the variables of the path, the parameters, the
// body, and editors of the request.
func (c call) make(client *contract.ClientWithResponses) (answer, error) {
	name := strings.ToUpper(c.Operation[:1]) + c.Operation[1:]
	if c.Form != "" {
		name += "WithBody"
	}
	method := reflect.ValueOf(client).MethodByName(name + "WithResponse")
	if !method.IsValid() {
		return answer{}, fmt.Errorf("the client has no method %sWithResponse", name)
	}
	header := c.Header.Clone()
	arguments := []reflect.Value{reflect.ValueOf(context.Background())}
	for i := 1; i < method.Type().NumIn()-1; i++ {
		argument := reflect.New(method.Type().In(i)).Elem()
		var err error
		switch t := argument.Type(); {
		case i <= len(c.Path):
			err = set(argument, c.Path[i-1])
		case t.Kind() == reflect.Pointer && strings.HasSuffix(t.Elem().Name(), "Params"):
			err = c.setParameters(argument, header)
		case t.Kind() == reflect.String: // a body's type
			argument.SetString(c.Header.Get("Content-Type"))
		case t.Kind() == reflect.Interface: // a body's reader
			argument.Set(reflect.ValueOf(strings.NewReader(c.Form)))
		default:
			err = c.setBody(argument)
		}
		if err != nil {
			return answer{}, err
		}
		arguments = append(arguments, argument)
	}
	for name := range header { // what is not a parameter is the credential, or the body's type
		if name != "api_access_token" && name != "Content-Type" {
			return answer{}, fmt.Errorf("the client does not know the parameter %s", name)
		}
	}
	edit := contract.RequestEditorFn(func(_ context.Context, r *http.Request) error {
		for name, values := range header {
			r.Header[name] = values // in the spelling that is given
		}
		return nil
	})
	results := method.Call(append(arguments, reflect.ValueOf(edit)))
	if err, ok := results[1].Interface().(error); ok {
		return answer{}, err
	}
	return read(results[0].Elem())
}

// setParameters sets the parameters of the query and the header, which it takes out of the header.
func (c call) setParameters(pointer reflect.Value, header http.Header) error {
	parameters := reflect.New(pointer.Type().Elem())
	for i := range parameters.Elem().NumField() {
		name, _, _ := strings.Cut(parameters.Elem().Type().Field(i).Tag.Get("json"), ",")
		text := c.Query.Get(name)
		if values := header.Values(name); len(values) > 0 {
			text = values[0]
			header.Del(name)
		}
		if text == "" {
			continue
		}
		c.Query.Del(name)
		if err := set(parameters.Elem().Field(i), text); err != nil {
			return fmt.Errorf("the parameter %s: %w", name, err)
		}
	}
	if len(c.Query) > 0 {
		return fmt.Errorf("the client does not know the parameters %v", c.Query)
	}
	pointer.Set(parameters)
	return nil
}

// set sets a value of some type to what a text says.
func set(v reflect.Value, text string) error {
	quoted, err := json.Marshal(text)
	if err == nil {
		err = json.Unmarshal(quoted, v.Addr().Interface())
	}
	if err != nil { // a number
		err = json.Unmarshal([]byte(text), v.Addr().Interface())
	}
	return err
}

// setBody sets the body, whose type has to know all of it. One that a call may leave out stays empty.
func (c call) setBody(v reflect.Value) error {
	if c.Body == nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v.Addr().Interface()); err != nil {
		return fmt.Errorf("the body: %w", err)
	}
	return lost("the body", c.Body, v.Interface())
}

// read reads an answer. One in JSON has a type for its status. Where that is a union, the answer says which part it is.
func read(response reflect.Value) (answer, error) {
	from := response.FieldByName("HTTPResponse").Interface().(*http.Response)
	body := response.FieldByName("Body").Bytes()
	if strings.Contains(from.Header.Get("Content-Type"), "json") && len(body) > 0 {
		typed := response.FieldByName(fmt.Sprint("JSON", from.StatusCode))
		if !typed.IsValid() || typed.IsNil() {
			return answer{}, fmt.Errorf("the answer %d has no type: %s", from.StatusCode, body)
		}
		if union, ok := typed.Interface().(interface{ ValueByDiscriminator() (any, error) }); ok {
			part, err := union.ValueByDiscriminator()
			if err != nil {
				return answer{}, fmt.Errorf("%w: %s", err, body)
			}
			typed = reflect.ValueOf(part)
		}
		if err := lost("the answer", body, typed.Interface()); err != nil {
			return answer{}, err
		}
	}
	return answer{from.StatusCode, from.Header, string(body)}, nil
}

// lost returns an error if a typed value has not all that a JSON text has.
func lost(what string, text []byte, typed any) error {
	written, err := json.Marshal(typed)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	want, err := decode(text)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	got, err := decode(written)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if at := missing("", want, got); at != "" {
		return fmt.Errorf("%s is %s, and its type loses %s: %s", what, text, at, written)
	}
	return nil
}

func decode(text []byte) (v any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return v, decoder.Decode(&v)
}

// missing returns where a value has something that another lacks; "" for nowhere. Nothing and null are the same, and
// so are two texts, because times are written anew.
func missing(at string, value, other any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case map[string]any:
		o, ok := other.(map[string]any)
		if !ok && len(v) > 0 {
			return at
		}
		for name, member := range v {
			if at := missing(at+"."+name, member, o[name]); at != "" {
				return at
			}
		}
		return ""
	case []any:
		o, ok := other.([]any)
		if !ok && len(v) > 0 || len(o) < len(v) {
			return at
		}
		for i, element := range v {
			if at := missing(fmt.Sprintf("%s[%d]", at, i), element, o[i]); at != "" {
				return at
			}
		}
		return ""
	case string:
		if _, ok := other.(string); !ok {
			return at
		}
		return ""
	}
	if value != other {
		return at
	}
	return ""
}
