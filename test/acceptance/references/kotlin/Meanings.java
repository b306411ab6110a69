import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.jetbrains.kotlin.analyzer.AnalysisResult;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.com.intellij.openapi.Disposable;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.*;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.descriptors.*;
import org.jetbrains.kotlin.descriptors.impl.TypeAliasConstructorDescriptor;
import org.jetbrains.kotlin.resolve.sam.SamConstructorDescriptor;
import org.jetbrains.kotlin.psi.*;
import org.jetbrains.kotlin.resolve.*;
import org.jetbrains.kotlin.synthetic.SyntheticJavaPropertyDescriptor;

/**
 * Prints what each name in Kotlin sources means, as the compiler understands it:
 *
 *     java -cp 'COMPILER/*' Meanings.java FOLDER CLASSPATH FILE...
 *
 * One line a name, as java/Meanings.java prints it. A constructor is its class. What the
 * compiler cannot resolve is left out; lines with such a name are printed as path and
 * line alone.
 */
public class Meanings {
    static Path root;
    static BindingContext context;
    static final Map<PsiFile, int[]> lines = new HashMap<>();
    static PrintStream out;

    public static void main(String[] args) throws Exception {
        System.setProperty("idea.use.native.fs.for.win", "false");
        root = Path.of(args[0]).toRealPath();
        CompilerConfiguration configuration = new CompilerConfiguration();
        configuration.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        configuration.put(CommonConfigurationKeys.MODULE_NAME, "corpus");
        configuration.put(JVMConfigurationKeys.JDK_HOME, new File(System.getProperty("java.home")));
        LanguageVersionSettings settings = new LanguageVersionSettingsImpl(LanguageVersion.KOTLIN_1_9, ApiVersion.KOTLIN_1_9,
            Map.of(), Map.of(LanguageFeature.MultiPlatformProjects, LanguageFeature.State.ENABLED));
        configuration.put(CommonConfigurationKeys.LANGUAGE_VERSION_SETTINGS, settings);
        for (String jar : args[1].split(File.pathSeparator)) {
            if (!jar.isEmpty()) JvmContentRootsKt.addJvmClasspathRoot(configuration, new File(jar));
        }
        for (int i = 2; i < args.length; i++) {
            if (args[i].endsWith(".java")) continue;
            ContentRootsKt.addKotlinSourceRoot(configuration, root.resolve(args[i]).toString());
        }
        JvmContentRootsKt.addJavaSourceRoot(configuration, root.toFile(), null);
        Disposable disposable = Disposer.newDisposable();
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(disposable, configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        List<KtFile> files = environment.getSourceFiles();
        AnalysisResult result = TopDownAnalyzerFacadeForJVM.analyzeFilesWithJavaIntegration(environment.getProject(), files,
            new CliBindingTrace(), configuration, environment::createPackagePartProvider);
        context = result.getBindingContext();
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        for (KtFile f : files) expect(f);
        for (KtFile f : files) walk(f);
        out.flush();
        System.exit(0);
    }

    static String path(PsiFile f) {
        return root.relativize(Path.of(f.getVirtualFile().getPath())).toString();
    }

    static String place(PsiElement e) {
        PsiFile f = e.getContainingFile();
        if (f == null || f.getVirtualFile() == null || !Path.of(f.getVirtualFile().getPath()).startsWith(root)) return null;
        int[] starts = lines.computeIfAbsent(f, Meanings::starts);
        int at = e.getTextRange().getStartOffset();
        int line = Arrays.binarySearch(starts, at);
        line = line < 0 ? -line - 1 : line + 1;
        return path(f) + "\t" + line + "\t" + (at - starts[line - 1] + 1);
    }

    /** Where the lines of a file begin. */
    static int[] starts(PsiFile f) {
        List<Integer> all = new ArrayList<>(List.of(0));
        String text = f.getText();
        for (int i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) all.add(i + 1);
        return all.stream().mapToInt(i -> i).toArray();
    }

    /** The name of a declaration of the project, or null. */
    static PsiElement named(DeclarationDescriptor d) {
        if (d instanceof TypeAliasConstructorDescriptor) d = ((TypeAliasConstructorDescriptor) d).getTypeAliasDescriptor();
        if (d instanceof SamConstructorDescriptor) d = ((SamConstructorDescriptor) d).getBaseDescriptorForSynthetic();
        if (d instanceof SyntheticJavaPropertyDescriptor) d = ((SyntheticJavaPropertyDescriptor) d).getGetMethod();
        if (d instanceof PropertyAccessorDescriptor) d = ((PropertyAccessorDescriptor) d).getCorrespondingProperty();
        if (d instanceof ConstructorDescriptor) d = ((ConstructorDescriptor) d).getConstructedClass();
        if (d instanceof CallableMemberDescriptor) d = DescriptorUtils.unwrapFakeOverride((CallableMemberDescriptor) d).getOriginal();
        if (d == null) return null;
        PsiElement e = DescriptorToSourceUtils.descriptorToDeclaration(d);
        if (e instanceof PsiNameIdentifierOwner) return ((PsiNameIdentifierOwner) e).getNameIdentifier();
        return null;
    }

    static String kind(DeclarationDescriptor d) {
        if (d instanceof ConstructorDescriptor || d instanceof SamConstructorDescriptor) return "type";
        if (d instanceof ClassDescriptor) return ((ClassDescriptor) d).getKind() == ClassKind.ENUM_ENTRY ? "field" : "type";
        if (d instanceof TypeAliasDescriptor) return "type";
        if (d instanceof FunctionDescriptor) {
            DeclarationDescriptor in = d.getContainingDeclaration();
            return in instanceof ClassDescriptor ? "method" : "function";
        }
        if (d instanceof PropertyDescriptor) return "field";
        return "local";
    }

    /** The full name of what is declared; of a function with the names of its parameters, which tell overloads apart. */
    static String full(DeclarationDescriptor d) {
        StringBuilder s = new StringBuilder(DescriptorUtils.getFqName(d).asString());
        if (d instanceof FunctionDescriptor)
            for (ValueParameterDescriptor p : ((FunctionDescriptor) d).getValueParameters()) s.append(' ').append(p.getName());
        return s.toString();
    }

    /** The places of what is declared with expect, by full name: what is declared with actual is the same. */
    static final Map<String, Set<String>> EXPECTED = new HashMap<>();

    static void expect(KtFile file) {
        Deque<PsiElement> todo = new ArrayDeque<>(List.of(file));
        while (!todo.isEmpty()) {
            PsiElement e = todo.pop();
            for (PsiElement c = e.getFirstChild(); c != null; c = c.getNextSibling()) todo.push(c);
            if (!(e instanceof KtNamedDeclaration)) continue;
            DeclarationDescriptor d = context.get(BindingContext.DECLARATION_TO_DESCRIPTOR, e);
            PsiElement id = ((KtNamedDeclaration) e).getNameIdentifier();
            String at = id == null ? null : place(id);
            if (at != null && d instanceof MemberDescriptor && ((MemberDescriptor) d).isExpect())
                EXPECTED.computeIfAbsent(full(d), k -> new LinkedHashSet<>()).add(at.replace('\t', ':'));
        }
    }

    static String over(DeclarationDescriptor d) {
        Set<String> all = new LinkedHashSet<>();
        if (d instanceof ConstructorDescriptor) d = ((ConstructorDescriptor) d).getConstructedClass();
        if (d instanceof MemberDescriptor) all.addAll(EXPECTED.getOrDefault(full(d), Set.of()));
        if (!(d instanceof CallableMemberDescriptor)) return String.join(",", all);
        Set<CallableMemberDescriptor> seen = new HashSet<>();
        Deque<CallableMemberDescriptor> todo = new ArrayDeque<>(List.of((CallableMemberDescriptor) d));
        while (!todo.isEmpty()) {
            for (CallableMemberDescriptor o : todo.pop().getOverriddenDescriptors()) {
                if (!seen.add(o)) continue;
                todo.add(o);
                PsiElement e = named(o);
                String at = e == null ? null : place(e);
                if (at != null) all.add(at.replace('\t', ':'));
            }
        }
        return String.join(",", all);
    }

    static void print(PsiElement at, String name, DeclarationDescriptor d, boolean declares) {
        PsiElement to = named(d);
        String here = place(at), there = to == null ? null : place(to);
        if (here == null || there == null || name.startsWith("`")) return;
        out.println(here + "\t" + name + "\t" + kind(d) + "\t" + there + "\t" + over(d) + "\t" + (declares ? "D" : ""));
    }

    static void walk(KtFile file) {
        Deque<PsiElement> todo = new ArrayDeque<>(List.of(file));
        while (!todo.isEmpty()) {
            PsiElement e = todo.pop();
            for (PsiElement c = e.getFirstChild(); c != null; c = c.getNextSibling()) todo.push(c);
            if (e instanceof KtNamedDeclaration) {
                PsiElement id = ((KtNamedDeclaration) e).getNameIdentifier();
                DeclarationDescriptor d = context.get(BindingContext.DECLARATION_TO_DESCRIPTOR, e);
                if (e instanceof KtParameter && context.get(BindingContext.PRIMARY_CONSTRUCTOR_PARAMETER, (KtParameter) e) != null)
                    d = context.get(BindingContext.PRIMARY_CONSTRUCTOR_PARAMETER, (KtParameter) e);
                if (id != null && d != null && !(e instanceof KtConstructor)) print(id, id.getText(), d, true);
                continue;
            }
            if (!(e instanceof KtSimpleNameExpression) || e instanceof KtOperationReferenceExpression && !isWord(e.getText())) continue;
            KtSimpleNameExpression name = (KtSimpleNameExpression) e;
            if (!(name instanceof KtNameReferenceExpression || name instanceof KtOperationReferenceExpression) ||
                name.getParent() instanceof KtInstanceExpressionWithLabel) continue; // labels, this, super
            DeclarationDescriptor d = context.get(BindingContext.REFERENCE_TARGET, name);
            if (d == null) {
                Collection<? extends DeclarationDescriptor> several = context.get(BindingContext.AMBIGUOUS_REFERENCE_TARGET, name);
                if (several != null) {
                    for (DeclarationDescriptor s : several) print(name, name.getReferencedName(), s, false);
                }
                if (several == null || several.isEmpty()) {
                    String at = place(name);
                    if (at != null) out.println(at.substring(0, at.lastIndexOf('\t')));
                }
                continue;
            }
            if (d instanceof ClassDescriptor && ((ClassDescriptor) d).isCompanionObject() && !d.getName().asString().equals(name.getReferencedName()))
                d = d.getContainingDeclaration();
            print(name, name.getReferencedName(), d, false);
        }
    }

    static boolean isWord(String s) {
        return !s.isEmpty() && Character.isJavaIdentifierStart(s.charAt(0)) && !Set.of("in", "is", "as").contains(s);
    }
}
