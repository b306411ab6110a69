package symbolname

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

func TestParseName(t *testing.T) {
	for _, tt := range []struct{ in, base, scope string }{
		{"Read", "Read", ""},
		{"Reader.Read", "Read", "Reader"},
		{"(*bytes.Buffer).Write", "Write", "bytes Buffer"},
		{"*Server.Handle", "Handle", "Server"},
		{"func NewReader", "NewReader", ""},
		{"class Foo", "Foo", ""},
		{"Foo::bar()", "bar", "Foo"},
		{`App\Models\User::find`, "find", "App Models User"},
		{"std::vector<int>::push_back", "push_back", "std vector"},
		{"Box<std::string>::count", "count", "Box"},
		{"Map<String, List<T>>", "Map", ""},
		{"List[int]", "List", ""},
		{"lo.Stack[K, V].Push", "Push", "lo Stack"},
		{"Set<T> of things", "Set<T> of things", ""},
		{"operator<=>", "operator<=>", ""},
		{"a::operator<<", "operator<<", "a"},
		{"input[type]", "input[type]", ""},
		{"<=>", "<=>", ""},
		{"Foo#bar", "bar", "Foo"},
		{"$this->name", "name", "$this"},
		{"http.Get(url)", "Get", "http"},
		{"#nav", "#nav", ""},
		{"Getting started", "Getting started", ""},
		{"operator==", "operator==", ""},
		{"net/http.Get", "Get", "net http"},
		{"cowboy_req:reply/4", "reply", "cowboy_req"},
		{"String.split/2", "split", "String"},
		{"queue:push", "push", "queue"},
		{":push", ":push", ""},
		{"Mojo::Message.parse", "parse", "Mojo Message"},
		{"reitit.core/match", "match", "reitit core"},
	} {
		n := Parse(tt.in)
		if n.Base != tt.base || strings.Join(n.Scope, " ") != tt.scope {
			t.Errorf("%q: %q in %q, want %q in %q", tt.in, n.Base, n.Scope, tt.base, tt.scope)
		}
	}
}

// FuzzParseName asks for what makes no sense as a name: each part still holds
// something to look for.
func FuzzParseName(f *testing.F) {
	for _, s := range []string{".*", "**/*", "*", "()", "(*)", "::", "->", `\`, "#", "$", "@", ".", "/", "func ", "func *", "a.*.b", "*.*", "(*a).*", "_-", "-", "A-", "é.*", "\xff.\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Parse(s)
		if strings.TrimSpace(s) == "" {
			return
		}
		if n.Whole != "" && n.Base == "" || slices.Contains(n.Scope, "") {
			t.Errorf("%q: %q in %q", s, n.Base, n.Scope)
		}
		if slices.Contains(n.Forms(), "") {
			t.Errorf("%q: an empty form in %q", s, n.Forms())
		}
	})
}

func TestNameFits(t *testing.T) {
	symbol := func(file, scope, name string) *index.Symbol {
		return &index.Symbol{Symbol: syntax.Symbol{Name: name, Scope: scope}, File: file}
	}
	lua := func(file, scope, name string) *index.Symbol {
		s := symbol(file, scope, name)
		s.Language = syntax.Lua
		return s
	}
	for _, tt := range []struct {
		ask  string
		s    *index.Symbol
		want bool
	}{
		{"util.root", lua("lua/lspconfig/util.lua", "M", "root"), true},
		{"lspconfig.util.root", lua("lua/lspconfig/util.lua", "M", "root"), true},
		{"util.root", lua("lua/util/init.lua", "M", "root"), true},
		{"util.root", lua("lua/util/other.lua", "M", "root"), false},
		{"util.root", lua("lua/util.lua", "M.inner", "root"), false},
		{"util.root", symbol("src/util.py", "M", "root"), false},
		{"Reader.Read", symbol("io/io.go", "Reader", "Read"), true},
		{"Reader.Read", symbol("io/io.go", "Writer", "Read"), false},
		{"Reader.Read", symbol("io/io.go", "Reader[T]", "Read"), true},
		{"io.Reader.Read", symbol("io/io.go", "Reader", "Read"), true},
		{"os.Reader.Read", symbol("io/io.go", "Reader", "Read"), false},
		{"http.Get", symbol("net/http/client.go", "", "Get"), true},
		{"client.Get", symbol("net/http/client.go", "", "Get"), true},
		{"net.Get", symbol("net/http/client.go", "", "Get"), false},
		{"net/http.Get", symbol("net/http/client.go", "", "Get"), true},
		{"a.b.Outer.Inner.f", symbol("src/a/b.py", "Outer.Inner", "f"), true},
		{"Outer.f", symbol("src/a/b.py", "Outer.Inner", "f"), false},
		{"Mojo::Message.parse", symbol("lib/m.pm", "Mojo::Message", "parse"), true},
		{"Message::parse", symbol("lib/m.pm", "Mojo::Message", "parse"), true},
		{"Mojo::Other.parse", symbol("lib/m.pm", "Mojo::Message", "parse"), false},
	} {
		if got := Parse(tt.ask).Fits(tt.s); got != tt.want {
			t.Errorf("%s fits %s %s in %s: %v", tt.ask, tt.s.Scope, tt.s.Name, tt.s.File, got)
		}
	}
}

func TestAround(t *testing.T) {
	for _, tt := range []struct{ line, name, head, tail string }{
		{"alias Plug.Conn.Status, as: S", "Conn", "Plug.", ".Status"},
		{"use Tea::Test::Pot;", "Pot", "Tea::Test::", ""},
		{"Tea::Pot->new", "Pot", "Tea::", ""},
		{"x = Pot", "Pot", "", ""},
		{"1..Pot", "Pot", "", ""},
		{"Pot.", "Pot", "", ""},
		{"茶.Pot::é", "Pot", "茶.", "::é"},
	} {
		at := strings.Index(tt.line, tt.name)
		if head, tail := Around(tt.line, at, at+len(tt.name)); head != tt.head || tail != tt.tail {
			t.Errorf("%s: %q and %q, want %q and %q", tt.line, head, tail, tt.head, tt.tail)
		}
	}
}

func TestForms(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"my-button", "MyButton"},
		{"MyButton", "my-button"},
		{"card", ".card"},
		{"$name", "name"},
		{"assert_eq!", "assert_eq"},
	} {
		if got := strings.Join(Parse(tt.in).Forms(), " "); !strings.Contains(" "+got+" ", " "+tt.want+" ") {
			t.Errorf("%s: forms %s lack %s", tt.in, got, tt.want)
		}
	}
}

func TestSignless(t *testing.T) {
	for in, want := range map[string]string{"$step": "step", "${step}": "step", "%opt": "opt", "@rest": "rest", "step": "", "$opt{a}": "", "$": ""} {
		if got := Parse(in).Signless(); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	if got := Parse(`\&fill`).Base; got != "fill" {
		t.Errorf("a reference: %q", got)
	}
}

func TestSpellings(t *testing.T) {
	for in, want := range map[string]string{"Shop/PriceList": "shop/price_list", "HTTPServer/V2": "http_server/v2"} {
		if got := Snake(in); got != want {
			t.Errorf("snake(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Studly("order/tea-card_x"); got != "Order/TeaCardX" {
		t.Errorf("studly: %q", got)
	}
}

func TestLikeness(t *testing.T) {
	near := &index.Symbol{Symbol: syntax.Symbol{Name: "new", Scope: "windowfilter"}, File: "extensions/window/window_filter.lua"}
	far := &index.Symbol{Symbol: syntax.Symbol{Name: "new", Scope: "expose"}, File: "extensions/expose/expose.lua"}
	if n := Parse("hs.window.filter.new"); n.Likeness(near) != len("windowfilter") || n.Likeness(far) != 0 {
		t.Errorf("near %d, far %d", n.Likeness(near), n.Likeness(far))
	}
}

// Operators are called by their signs, of which no use is known by name.
func TestUnnamed(t *testing.T) {
	for _, tt := range []struct {
		language   syntax.Language
		name, want string
	}{
		{syntax.CPP, "operator+=", "a += b"}, {syntax.CPP, "operator()", "a(b)"}, {syntax.CPP, "operator[]", "a[b]"},
		{syntax.CPP, "operator bool", "bool(a)"}, {syntax.CPP, "~Box", "delete a"}, {syntax.CPP, "operator->", "a->"},
		{syntax.CPP, "operate", ""}, {syntax.CSharp, "operator +", "a + b"}, {syntax.CSharp, "this[]", "a[b]"},
		{syntax.Ruby, "<=>", "a <=> b"}, {syntax.Ruby, "[]=", "a[b]"}, {syntax.Ruby, "ok?", ""}, {syntax.Go, "Add", ""},
	} {
		if got := Unnamed(tt.language, tt.name); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
