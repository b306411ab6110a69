"""Java, by javac: java/Meanings.java prints what each name means as the compiler
understands it. Constructors are methods of the name of their class. Dependencies
are not there; what takes them to be understood is left out."""
import os
import subprocess

import peers
from . import Corpus, Language, Target

VERSION = "17"
PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "java", "Meanings.java")
KINDS = {"constructor": "method"}


def start(cache, folder, files):
    told = subprocess.run(["javac", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not told.startswith("javac %s." % VERSION):
        raise SystemExit("the comparison is pinned to javac %s, here is %s" % (VERSION, told))
    printed = subprocess.run(["java", "-Xmx2g", PROGRAM, folder] + files, stdout=subprocess.PIPE, text=True, check=True).stdout
    return peers.Meanings(printed)


def sources(package, version, tuned):
    return Corpus("maven", package, version, tuned, drop=("META-INF/*", "module-info.java"))


LANGUAGES = [Language("java", "javac " + VERSION, (".java",), start, lambda kind, parent: KINDS.get(kind, kind), Target(0.90, 0.85), {
    "gson": sources("com.google.code.gson:gson", "2.13.1", True),
    "jsoup": sources("org.jsoup:jsoup", "1.21.1", True),
    "okio": sources("com.squareup.okio:okio", "1.17.6", False),
    "picocli": sources("info.picocli:picocli", "4.7.7", False),
    "commons-csv": sources("org.apache.commons:commons-csv", "1.14.1", False),
    "commons-cli": sources("commons-cli:commons-cli", "1.9.0", False),
    "joda-time": sources("joda-time:joda-time", "2.12.7", False),
    "vavr": sources("io.vavr:vavr", "0.10.4", True),
    "rxjava": sources("io.reactivex.rxjava3:rxjava", "3.1.8", True),
    "snakeyaml": sources("org.yaml:snakeyaml", "2.2", False),
})]
