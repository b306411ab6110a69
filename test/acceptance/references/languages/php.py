"""PHP, by intelephense, which is free to use for this but no free software."""
import os
import re

import corpora
import peers
from . import CONSTANT, Corpus, Language, Target, lsp_kind

VERSION = "1.18.5"


class Intelephense(peers.Server):
    ID = "php"
    READS = True

    def __init__(self, command, folder, storage):
        super().__init__(command, folder, {"storagePath": storage, "clearCache": True})

    def is_local(self, path, line, column):
        text = self.line(path, line)
        return text[column - 1:column] == "$" and text[:column - 1].rstrip()[-2:] != "::"

    def references(self, path, line, column):
        """With the places that name a type by another name of their file, which it knows by their definition
        alone."""
        found = super().references(path, line, column)
        name, defined = self.word(path, line, column), self.definition(path, line, column)
        for other, number in list(found):
            renamed = re.match(r"use\s[\w\\]*\b%s\s+as\s+(\w+);" % re.escape(name), self.line(other, number))
            if renamed and defined:
                found |= {p[:2] for p in self.named(renamed.group(1), [other]) if self.definition(*p) == defined}
        return found


def start(cache, folder, files):
    server = os.path.join(corpora.npm_tool(cache, "intelephense", VERSION), "lib", "intelephense.js")
    tool = Intelephense(["node", server, "--stdio"], folder, os.path.join(cache, "peers", "intelephense-storage"))
    tool.files = files
    return tool


def kind_of(kind, parent):
    return lsp_kind(kind, parent, (CONSTANT,))


def at(repository, commit, tuned, drop=()):
    return Corpus("git", repository, commit, tuned, drop=drop)


LANGUAGES = [Language("php", "intelephense " + VERSION, (".php",), start, kind_of, Target(0.90, 0.85), {
    "monolog": at("Seldaek/monolog", "57eb1028342134e701e77c617565d51b6e5a2a53", True),
    "guzzle": at("guzzle/guzzle", "2779e868a00289e1b1fd854af030c43a06f4bcb4", True),
    "flysystem": at("thephpleague/flysystem", "072735c56cc0da00e10716dd90d5a7f7b40b36be", False),
    "twig": at("twigphp/Twig", "f3db1d1a0c5cc21fad255bd6690bbde16d378459", False),
    "uuid": at("ramsey/uuid", "9e8aa057ba5384e5888954c828f8de90ccd3ca4c", True, ("tests/*",)),
    "commonmark": at("thephpleague/commonmark", "8c812a3cd319485fa7b1110b926829013551afa3", False, ("tests/*",)),
    "brick-math": at("brick/math", "a89bc96a7cf3d7b59e725afe57ccb95eb03cf6ce", False),
    "slim": at("slimphp/Slim", "038fd5713d5a41636fdff0e8dcceedecdd17fc17", True),
    "monica": at("monicahq/monica", "e08e91734170b6bbd582cb578532c3948196124e", True, ("lang/*", "database/migrations/*")),
    "symfony-demo": at("symfony/demo", "920d86dc809f837543cb519d3df5b364a2c36577", True),
    "league-csv": at("thephpleague/csv", "e6de76c0a3b1aa05aee97ccfed686201c8251be1", True, ("docs/*",)),
    "permission": at("spatie/laravel-permission", "4a21798c89f21780c8d97b8eb188c5a673011558", True),
    "psysh": at("bobthecow/psysh", "0e8ec1af599068441378bacf60f44a5975fb3d4f", False, ("test/*", "build/*")),
    "fastroute": at("nikic/FastRoute", "1c961398bef1ff6ecd8b273bef651d7afe90312b", True),
}, word=r"\$?[^\W\d]\w*")]
