"""Go, by gopls."""
import corpora
import peers
from . import Corpus, Language, Target, lsp_kind

VERSION = "v0.20.0"


class Gopls(peers.Server):
    ID = "go"
    LOCAL = ("var ",)


def start(cache, folder, files):
    return Gopls([corpora.go_tool(cache, "golang.org/x/tools/gopls", VERSION), "serve"], folder)


LANGUAGES = [Language("go", "gopls " + VERSION, (".go",), start, lsp_kind, Target(0.95, 0.95, corpora=3), {
    "go-sdk": Corpus("go", "github.com/modelcontextprotocol/go-sdk", "v1.8.0", True),
    "cobra": Corpus("go", "github.com/spf13/cobra", "v1.10.2", False),
    "go-internal": Corpus("go", "github.com/rogpeppe/go-internal", "v1.16.0", False),
    "afero": Corpus("go", "github.com/spf13/afero", "v1.14.0", True),
    "toml": Corpus("go", "github.com/BurntSushi/toml", "v1.5.0", True),
    "yaml": Corpus("go", "go.yaml.in/yaml/v3", "v3.0.4", False),
})]
