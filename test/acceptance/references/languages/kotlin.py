"""Kotlin, by its own compiler: kotlin/Meanings.java prints what each name means as the
compiler understands it. A constructor is its class. Code of Java in the same corpus is
read, and its names are not asked for."""
import glob
import os
import subprocess

import corpora
import peers
from . import Corpus, Language, Target

VERSION = "1.9.25"
PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kotlin", "Meanings.java")
NEEDED = ("org.jetbrains.kotlin:kotlin-reflect:" + VERSION, "com.squareup.okio:okio-jvm:3.6.0",
          "org.jetbrains.kotlinx:kotlinx-coroutines-core-jvm:1.7.3", "org.slf4j:slf4j-api:2.0.9",
          "com.fasterxml.jackson.core:jackson-databind:2.15.2")  # of the corpora
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId><version>1</version>
<dependencies>%s</dependencies></project>"""


def jars(cache, name, artifacts):
    """The folder of some artifacts and all that they depend on."""
    def make(new):
        listed = "".join("<dependency><groupId>%s</groupId><artifactId>%s</artifactId><version>%s</version></dependency>" % tuple(a.split(":")) for a in artifacts)
        with open(new + "/pom.xml", "w") as f:
            f.write(POM % listed)
        corpora.run("mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=" + new, cwd=new)
    return corpora.once(os.path.join(cache, "peers", name), make)


def start(cache, folder, files):
    compiler = jars(cache, "kotlin-compiler-" + VERSION, ("org.jetbrains.kotlin:kotlin-compiler-embeddable:" + VERSION,))
    known = jars(cache, "kotlin-known-" + VERSION, NEEDED)
    printed = subprocess.run(["java", "-Xmx2g", "-cp", compiler + "/*", PROGRAM, folder, os.pathsep.join(sorted(glob.glob(known + "/*.jar")))] + files,
                             stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return peers.Meanings(printed)


def sources(package, version, tuned):
    return Corpus("maven", package, version, tuned, drop=("META-INF/*", "module-info.java"))


LANGUAGES = [Language("kotlin", "kotlinc " + VERSION, (".kt",), start, lambda kind, parent: kind, Target(0.90, 0.85), {
    "kotlinpoet": sources("com.squareup:kotlinpoet", "1.14.2", True),
    "moshi": sources("com.squareup.moshi:moshi", "1.15.0", True),
    "okhttp": sources("com.squareup.okhttp3:okhttp", "4.12.0", True),
    "jackson-kotlin": sources("com.fasterxml.jackson.module:jackson-module-kotlin", "2.15.2", True),
    "collections-immutable": sources("org.jetbrains.kotlinx:kotlinx-collections-immutable-jvm", "0.3.7", False),
    "exposed": sources("org.jetbrains.exposed:exposed-core", "0.44.0", False),
    "koin": sources("io.insert-koin:koin-core-jvm", "3.5.3", True),
    "serialization": sources("org.jetbrains.kotlinx:kotlinx-serialization-core-jvm", "1.6.3", True),
    "kotlin-logging": sources("io.github.microutils:kotlin-logging-jvm", "3.0.5", True),
})]
