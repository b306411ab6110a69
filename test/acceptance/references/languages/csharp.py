"""C#, by Roslyn: csharp/Meanings.cs prints what each name means as the compiler
understands it. The runtime comes from PyPI, the compiler from a package of npm that
ships it; Debian's mcs compiles the program, and its OpenSSL is made to fit the
runtime by csharp/digest.c. Constructors are methods of the name of their class.
Needs Debian's mono-mcs, gcc and libssl-dev. Dependencies are not there; what takes
them to be understood is left out, as are files with syntax newer than C# 10."""
import glob
import json
import os
import shutil
import subprocess
import tempfile
import zipfile

import corpora
import peers
from . import Corpus, Language, Target

VERSION = "4.1.0"
RUNTIME, COMPILER = "3.1.23", "3.0.0-beta.20221221.1"
HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "csharp")
ROSLYN = ("Microsoft.CodeAnalysis.dll", "Microsoft.CodeAnalysis.CSharp.dll")
NEWER = ("System.Collections.Immutable.dll", "System.Reflection.Metadata.dll", "System.Runtime.CompilerServices.Unsafe.dll")
SYMBOLS = "NETSTANDARD,NETSTANDARD2_0,NETSTANDARD2_1,NETCOREAPP,NETCOREAPP3_1"
IMPLICIT = ("System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http", "System.Threading", "System.Threading.Tasks")
KINDS = {"constructor": "method"}


def install(cache):
    """The folder with the runtime (dotnet), what it is compiled against (framework) and the program (program)."""
    def make(new):
        with tempfile.TemporaryDirectory() as work:
            corpora.run("python3", "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--disable-pip-version-check",
                        "-d", work, "dotnetcore2==" + RUNTIME)
            with zipfile.ZipFile(glob.glob(work + "/*.whl")[0]) as wheel:
                wheel.extractall(work)
            shutil.move(work + "/dotnetcore2/bin", new + "/dotnet")
        os.chmod(new + "/dotnet/dotnet", 0o755)
        shared = new + "/dotnet/shared/Microsoft.NETCore.App/" + RUNTIME
        shutil.copytree(shared, new + "/framework")
        shipped = corpora.npm_tool(cache, "@autorest/csharp", COMPILER)
        os.mkdir(new + "/program")
        for name in ROSLYN + NEWER:
            shutil.copyfile(os.path.join(shipped, name), os.path.join(new + "/program" if name in ROSLYN else shared, name))
        known = [f for f in glob.glob(shared + "/*.dll") if os.path.basename(f).startswith(("System", "mscorlib", "netstandard"))]
        corpora.run("mcs", "-nostdlib", "-noconfig", "-out:%s/program/Meanings.dll" % new, os.path.join(HERE, "Meanings.cs"),
                    *["-r:" + f for f in known], *["-r:%s/program/%s" % (new, f) for f in ROSLYN])
        corpora.run("cc", "-shared", "-fPIC", "-O1", "-o", shared + "/System.Security.Cryptography.Native.OpenSsl.so",
                    os.path.join(HERE, "digest.c"), "-lcrypto")
        with open(new + "/program/Meanings.runtimeconfig.json", "w") as f:
            json.dump({"runtimeOptions": {"tfm": "netcoreapp3.1", "framework": {"name": "Microsoft.NETCore.App", "version": "3.1.0"},
                                          "configProperties": {"System.Globalization.Invariant": True}}}, f)
    return corpora.once(os.path.join(cache, "peers", "roslyn-" + VERSION), make)


def start(cache, folder, files):
    home = install(cache)
    with tempfile.TemporaryDirectory() as work:
        usings = os.path.join(work, "usings.global.cs")  # those that newer projects have without writing them
        with open(usings, "w") as f:
            f.write("".join("global using %s;\n" % n for n in IMPLICIT))
        with open(work + "/list", "w") as f:
            f.write("\n".join(files + [usings]))
        done = subprocess.run([home + "/dotnet/dotnet", home + "/program/Meanings.dll", folder, home + "/framework", SYMBOLS, work + "/list"],
                              stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ, DOTNET_CLI_TELEMETRY_OPTOUT="1"))
    return peers.Meanings(done.stdout)


def at(repository, commit, tuned, keep):
    return Corpus("git", repository, commit, tuned, prepare=lambda folder, corpus: only(folder, keep))


def only(folder, keep):
    """Leaves one folder: the tests take libraries that are not there."""
    corpora.copy(os.path.join(folder, keep), folder + ".only")
    shutil.rmtree(folder)
    os.rename(folder + ".only", folder)


LANGUAGES = [Language("csharp", "Roslyn " + VERSION, (".cs",), start, lambda kind, parent: KINDS.get(kind, kind), Target(0.90, 0.85), {
    "serilog": at("serilog/serilog", "60935b4d7abad71cf6157b45a10f5c3c65ead527", True, "src/Serilog"),
    "sprache": at("sprache/Sprache", "9d1721bb0dea638e35b9bbb2334fea6f99bf778e", True, "src"),
    "fluentvalidation": at("FluentValidation/FluentValidation", "ea299fe59719950018fa240dab86da414190d7f4", True, "src/FluentValidation"),
    "dapper": at("DapperLib/Dapper", "2a837ad7d036671ac9a75c9945bb970aa41b7de9", False, "Dapper"),
    "mediatr": at("jbogard/MediatR", "6baaeef7a16ca75cb905829f870f79c6334ef40e", True, "src"),
    "commandline": at("commandlineparser/commandline", "1e3607b97af6141743edb3c434c06d5b492f6fb3", True, "src/CommandLine"),
    "stateless": at("dotnet-state-machine/stateless", "18c405df0eacfbbbc3e69160f8200ca8b5c0cbfe", False, "src/Stateless"),
    "sharpziplib": at("icsharpcode/SharpZipLib", "ff2d7c30bdb2474d507f001bc555405e9f02a0bb", False, "src/ICSharpCode.SharpZipLib"),
    "csvhelper": at("JoshClose/CsvHelper", "33970e5183383bdac1fbce3b3fbcdf46b318ca52", True, "src/CsvHelper"),
    "scriban": at("scriban/scriban", "420513a9d017fa54b23ba78a9f21a12187a8dd97", True, "src/Scriban"),
    "newtonsoft": at("JamesNK/Newtonsoft.Json", "09bb545d72969ad7fb4ea07db0d5c34f4fc07877", True, "Src/Newtonsoft.Json"),
    "nsubstitute": at("nsubstitute/NSubstitute", "288b489d99e970301f2513fcfe7fd83674c36b69", False, "src/NSubstitute"),
})]
