using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

/// Prints what each name in C# sources means, as Roslyn understands it:
///
///     dotnet Meanings.dll FOLDER FRAMEWORK SYMBOLS LIST
///
/// FRAMEWORK is a folder of assemblies, SYMBOLS are those of the preprocessor with commas,
/// LIST is a file with a path of a source on each line. The lines are those of
/// java/Meanings.java. Lines of two fields, path and line, name what is not read:
/// the other branches of conditionals, and files with errors of syntax.
static class Meanings
{
    static string root;
    static Compilation compilation;
    static readonly StringBuilder output = new StringBuilder();

    static int Main(string[] args)
    {
        root = args[0];
        var symbols = args[2].Split(new[] {','}, StringSplitOptions.RemoveEmptyEntries);
        var options = CSharpParseOptions.Default.WithLanguageVersion(LanguageVersion.Preview).WithPreprocessorSymbols(symbols);
        var trees = new List<SyntaxTree>();
        foreach (var path in File.ReadAllLines(args[3]))
        {
            var text = File.ReadAllText(Path.Combine(root, path));
            trees.Add(CSharpSyntaxTree.ParseText(text, options, path));
        }
        var framework = Directory.GetFiles(args[1], "*.dll").Select(f => (MetadataReference)MetadataReference.CreateFromFile(f));
        compilation = CSharpCompilation.Create("corpus", trees, framework,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, false, null, null, null, null, OptimizationLevel.Debug, false, true));
        foreach (var tree in trees)
        {
            if (tree.FilePath.EndsWith(".global.cs")) continue;
            if (Unread(tree)) continue;
            var model = compilation.GetSemanticModel(tree, false);
            foreach (var token in tree.GetRoot().DescendantTokens())
            {
                if (token.IsKind(SyntaxKind.IdentifierToken)) Name(model, token);
            }
        }
        var errors = compilation.GetDiagnostics().Where(d => d.Severity == DiagnosticSeverity.Error).ToList();
        Console.Error.WriteLine(errors.Count + " errors");
        foreach (var e in errors.Take(5)) Console.Error.WriteLine(e.ToString());
        using (var o = Console.OpenStandardOutput())
        {
            var bytes = new UTF8Encoding(false).GetBytes(output.ToString());
            o.Write(bytes, 0, bytes.Length);
        }
        return 0;
    }

    /// Prints what is not read of a file, and whether that is all of it.
    static bool Unread(SyntaxTree tree)
    {
        bool all = tree.GetDiagnostics().Any(d => d.Severity == DiagnosticSeverity.Error);
        int count = tree.GetText().Lines.Count;
        if (all)
        {
            for (int i = 1; i <= count; i++) output.Append(tree.FilePath + "\t" + i + "\n");
            return true;
        }
        foreach (var t in tree.GetRoot().DescendantTrivia())
        {
            if (!t.IsKind(SyntaxKind.DisabledTextTrivia)) continue;
            var span = tree.GetLineSpan(t.Span);
            for (int i = span.StartLinePosition.Line; i <= span.EndLinePosition.Line; i++)
            {
                if (i < span.EndLinePosition.Line || span.EndLinePosition.Character > 0) output.Append(tree.FilePath + "\t" + (i + 1) + "\n");
            }
        }
        return false;
    }

    static void Name(SemanticModel model, SyntaxToken token)
    {
        var node = token.Parent;
        var simple = node as SimpleNameSyntax;
        if (simple == null)
        {
            var declared = model.GetDeclaredSymbol(node);
            if (declared != null && !(declared is INamespaceSymbol) && !(declared is ILabelSymbol) && !(declared is IAliasSymbol)) Print(token, declared, true);
            return;
        }
        if (simple is IdentifierNameSyntax && model.GetAliasInfo((IdentifierNameSyntax)simple) != null) return;
        var info = model.GetSymbolInfo(simple);
        var meant = new List<ISymbol>();
        if (info.Symbol != null) meant.Add(info.Symbol);
        else if (info.CandidateSymbols.Length == 1 || info.CandidateReason == CandidateReason.MemberGroup) meant.AddRange(info.CandidateSymbols);
        foreach (var m in meant)
        {
            if (m is INamespaceSymbol || token.Text == "var" && m is ITypeSymbol) continue;
            Print(token, m, false);
            var method = m as IMethodSymbol; // of an attribute
            if (method != null && method.MethodKind == MethodKind.Constructor) Print(token, method.ContainingType, false);
        }
        SyntaxNode whole = simple;
        while (whole.Parent is QualifiedNameSyntax && ((QualifiedNameSyntax)whole.Parent).Right == whole) whole = whole.Parent;
        var made = whole.Parent as ObjectCreationExpressionSyntax;
        if (made != null && made.Type == whole)
        {
            var constructor = model.GetSymbolInfo(made).Symbol;
            if (constructor != null) Print(token, constructor, false);
        }
    }

    /// The symbol as it is declared.
    static ISymbol Original(ISymbol s)
    {
        var method = s as IMethodSymbol;
        if (method != null)
        {
            method = method.ReducedFrom ?? method;
            method = method.OriginalDefinition;
            method = method.PartialDefinitionPart ?? method;
            return method.AssociatedSymbol != null && method.MethodKind != MethodKind.DelegateInvoke ? method.AssociatedSymbol.OriginalDefinition : method;
        }
        return s.OriginalDefinition;
    }

    /// Where a symbol of the project is declared first: path, line, column.
    static string Place(ISymbol s)
    {
        if (s.IsImplicitlyDeclared && (s is IMethodSymbol || s is IFieldSymbol)) return null;
        var here = s.Locations.Where(l => l.IsInSource).OrderBy(l => l.SourceTree.FilePath, StringComparer.Ordinal).ThenBy(l => l.SourceSpan.Start).FirstOrDefault();
        if (here == null) return null;
        var at = here.GetLineSpan().StartLinePosition;
        return here.SourceTree.FilePath + "\t" + (at.Line + 1) + "\t" + (at.Character + 1);
    }

    static string Kind(ISymbol s)
    {
        var method = s as IMethodSymbol;
        if (method != null) return method.MethodKind == MethodKind.Constructor ? "constructor" : method.MethodKind == MethodKind.LocalFunction ? "function" : "method";
        if (s is INamedTypeSymbol) return "type";
        return s is IFieldSymbol || s is IPropertySymbol || s is IEventSymbol ? "field" : "local";
    }

    /// The members of the project that a member overrides or implements, and those that what it overrides implements:
    /// a call of these reaches it.
    static IEnumerable<string> Overridden(ISymbol s)
    {
        if (!(s is IMethodSymbol || s is IPropertySymbol || s is IEventSymbol) || s.ContainingType == null) yield break;
        for (var of = s; of != null; of = Above(of))
        {
            var over = SymbolEqualityComparer.Default.Equals(of, s) ? null : Place(of.OriginalDefinition);
            if (over != null) yield return over;
            foreach (var i in of.ContainingType.AllInterfaces)
            {
                foreach (var m in i.GetMembers())
                {
                    var by = of.ContainingType.FindImplementationForInterfaceMember(m);
                    if (by == null || !SymbolEqualityComparer.Default.Equals(by, of)) continue;
                    var place = Place(m.OriginalDefinition);
                    if (place != null) yield return place;
                }
            }
        }
    }

    static ISymbol Above(ISymbol s)
    {
        if (s is IMethodSymbol) return ((IMethodSymbol)s).OverriddenMethod;
        if (s is IPropertySymbol) return ((IPropertySymbol)s).OverriddenProperty;
        return s is IEventSymbol ? ((IEventSymbol)s).OverriddenEvent : null;
    }

    static void Print(SyntaxToken token, ISymbol meant, bool declares)
    {
        var s = Original(meant);
        var to = Place(s);
        if (to == null || s.Name == "" || s.ContainingType != null && s.ContainingType.IsAnonymousType) return;
        var at = token.GetLocation().GetLineSpan().StartLinePosition;
        var above = string.Join(",", Overridden(s).Distinct().Select(p => p.Replace('\t', ':')));
        output.Append(token.SyntaxTree.FilePath + "\t" + (at.Line + 1) + "\t" + (at.Character + 1) + "\t" + token.ValueText + "\t" + Kind(s) + "\t" + to + "\t" + above + "\t" + (declares ? "D" : "") + "\n");
    }
}
