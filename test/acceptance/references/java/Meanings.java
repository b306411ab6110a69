import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.TypeKind;
import javax.lang.model.util.*;
import javax.tools.*;

/**
 * Prints what each name in Java sources means, as javac understands it:
 *
 *     java Meanings.java FOLDER FILE...
 *
 * One line a name: path, line, column (from 1, in UTF-16 units), name, kind (type,
 * method, constructor, field, local), path, line and column of the declaration, the
 * declarations of the project that this one overrides (path:line:column, with
 * commas), and D where the name declares. Fields are parted by tabs. Dependencies
 * may be missing: what javac cannot attribute is left out.
 */
public class Meanings {
    static Path root;
    static Trees trees;
    static Elements elements;
    static Types types;
    static final Map<Element, String> places = new HashMap<>();
    static final Map<Element, TypeElement> owners = new HashMap<>();
    static PrintStream out;

    public static void main(String[] args) throws Exception {
        root = Path.of(args[0]).toRealPath();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(d -> {}, null, StandardCharsets.UTF_8);
        List<File> files = Arrays.stream(args).skip(1).map(f -> root.resolve(f).toFile()).collect(Collectors.toList());
        List<String> options = List.of("-proc:none", "-implicit:none", "-Xmaxerrs", "1000000", "-XDshould-stop.at=FLOW",
            "-XDshould-stop.ifError=FLOW", "-Xlint:none", "-parameters");
        JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), manager, d -> {}, options, null,
            manager.getJavaFileObjectsFromFiles(files));
        trees = Trees.instance(task);
        elements = task.getElements();
        types = task.getTypes();
        List<CompilationUnitTree> units = new ArrayList<>();
        for (CompilationUnitTree u : task.parse()) units.add(u);
        try {
            task.analyze();
        } catch (Throwable t) { // what is attributed by then is there
            System.err.println("javac: " + t);
        }
        out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        for (CompilationUnitTree u : units) new Declarations(u).scan(u, null);
        for (CompilationUnitTree u : units) new Uses(u).scan(u, null);
        out.flush();
    }

    /** Goes over the names of one file. */
    static class Names extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final String path, text;
        final SourcePositions positions = trees.getSourcePositions();

        Names(CompilationUnitTree unit) throws IOException {
            this.unit = unit;
            this.path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        String place(long at) {
            return path + "\t" + unit.getLineMap().getLineNumber(at) + "\t" + column(at);
        }

        long column(long at) { // the map of javac counts tabs as eight
            return at - text.lastIndexOf('\n', (int) at - 1);
        }

        /** Where a name stands from a place on, as a word. */
        long find(String name, long from, long end) {
            for (int i = (int) from; i >= 0 && (i = text.indexOf(name, i)) >= 0 && i < end; i++) {
                boolean before = i > 0 && Character.isJavaIdentifierPart(text.charAt(i - 1));
                int after = i + name.length();
                if (!before && (after >= text.length() || !Character.isJavaIdentifierPart(text.charAt(after)))) return i;
            }
            return -1;
        }

        /** Where a declaration has its name. */
        long named(Tree tree, String name) {
            long from = positions.getStartPosition(unit, tree), end = positions.getEndPosition(unit, tree);
            Tree modifiers = null, type = null;
            if (tree instanceof ClassTree) modifiers = ((ClassTree) tree).getModifiers();
            if (tree instanceof MethodTree) {
                modifiers = ((MethodTree) tree).getModifiers();
                type = ((MethodTree) tree).getReturnType();
            }
            if (tree instanceof VariableTree) {
                modifiers = ((VariableTree) tree).getModifiers();
                type = ((VariableTree) tree).getType();
            }
            for (Tree t : new Tree[] {modifiers, type}) {
                long e = t == null ? -1 : positions.getEndPosition(unit, t);
                if (e > from && e < end) from = e;
            }
            return find(name, from, end);
        }
    }

    /** Notes where things are declared. */
    static class Declarations extends Names {
        Declarations(CompilationUnitTree unit) throws IOException { super(unit); }

        void note(Tree tree, String name) {
            Element e = trees.getElement(getCurrentPath());
            long at = e == null ? -1 : named(tree, name);
            if (at >= 0) places.put(e, place(at));
        }

        @Override public Void visitClass(ClassTree t, Void v) {
            if (!t.getSimpleName().isEmpty()) note(t, t.getSimpleName().toString());
            return super.visitClass(t, v);
        }

        @Override public Void visitMethod(MethodTree t, Void v) {
            String name = t.getName().toString();
            if (name.equals("<init>")) {
                Element e = trees.getElement(getCurrentPath());
                name = e == null ? "" : e.getEnclosingElement().getSimpleName().toString();
                if (name.isEmpty() || elements.getOrigin(e) != Elements.Origin.EXPLICIT) return super.visitMethod(t, v);
            }
            note(t, name);
            return super.visitMethod(t, v);
        }

        @Override public Void visitVariable(VariableTree t, Void v) {
            note(t, t.getName().toString());
            return super.visitVariable(t, v);
        }

        @Override public Void visitTypeParameter(TypeParameterTree t, Void v) {
            note(t, t.getName().toString());
            return super.visitTypeParameter(t, v);
        }
    }

    static String kind(Element e) {
        switch (e.getKind()) {
            case METHOD: return "method";
            case CONSTRUCTOR: return "constructor";
            case FIELD: case ENUM_CONSTANT: return "field";
            case CLASS: case INTERFACE: case ENUM: case RECORD: case ANNOTATION_TYPE: return "type";
            default: return "local";
        }
    }

    /** The methods of the project that a method overrides. */
    static List<String> overridden(Element e) {
        List<String> all = new ArrayList<>();
        if (e.getKind() != ElementKind.METHOD) return all;
        TypeElement owner = (TypeElement) e.getEnclosingElement();
        Deque<TypeElement> todo = new ArrayDeque<>(List.of(owner));
        Set<TypeElement> seen = new HashSet<>(todo);
        while (!todo.isEmpty()) {
            for (var s : types.directSupertypes(todo.pop().asType())) {
                if (s.getKind() != TypeKind.DECLARED || !(types.asElement(s) instanceof TypeElement)) continue;
                TypeElement above = (TypeElement) types.asElement(s);
                if (!seen.add(above)) continue;
                todo.add(above);
                for (ExecutableElement m : ElementFilter.methodsIn(above.getEnclosedElements())) {
                    if (places.containsKey(m) && elements.overrides((ExecutableElement) e, m, owner)) {
                        all.add(places.get(m).replace('\t', ':'));
                    }
                }
            }
        }
        return all;
    }

    /** Prints the names. */
    static class Uses extends Names {
        Uses(CompilationUnitTree unit) throws IOException { super(unit); }

        void print(long at, String name, Element e, boolean declares) {
            String to = places.get(e);
            if (at < 0 || to == null || !text.startsWith(name, (int) at)) return; // what javac made up
            out.println(place(at) + "\t" + name + "\t" + kind(e) + "\t" + to + "\t" + String.join(",", overridden(e)) + "\t" + (declares ? "D" : ""));
        }

        void declared(Tree t, String name) {
            Element e = trees.getElement(getCurrentPath());
            if (e != null && places.containsKey(e)) print(named(t, name), name, e, true);
        }

        @Override public Void visitClass(ClassTree t, Void v) {
            if (!t.getSimpleName().isEmpty()) declared(t, t.getSimpleName().toString());
            return super.visitClass(t, v);
        }

        @Override public Void visitMethod(MethodTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            if (e != null) declared(t, t.getName().contentEquals("<init>") ? e.getEnclosingElement().getSimpleName().toString() : t.getName().toString());
            return super.visitMethod(t, v);
        }

        @Override public Void visitVariable(VariableTree t, Void v) {
            declared(t, t.getName().toString());
            return super.visitVariable(t, v);
        }

        @Override public Void visitTypeParameter(TypeParameterTree t, Void v) {
            declared(t, t.getName().toString());
            return super.visitTypeParameter(t, v);
        }

        @Override public Void visitImport(ImportTree t, Void v) {
            if (t.isStatic() && t.getQualifiedIdentifier() instanceof MemberSelectTree) {
                MemberSelectTree s = (MemberSelectTree) t.getQualifiedIdentifier();
                String name = s.getIdentifier().toString();
                Element owner = trees.getElement(TreePath.getPath(unit, s.getExpression()));
                long at = find(name, positions.getEndPosition(unit, s.getExpression()), positions.getEndPosition(unit, s));
                if (owner instanceof TypeElement) {
                    for (Element e : elements.getAllMembers((TypeElement) owner)) {
                        if (e.getSimpleName().contentEquals(name)) print(at, name, e, false);
                    }
                }
                scan(s.getExpression(), null);
                return null;
            }
            return super.visitImport(t, v);
        }

        @Override public Void visitIdentifier(IdentifierTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            String name = t.getName().toString();
            if (e != null && !name.equals("this") && !name.equals("super")) print(positions.getStartPosition(unit, t), name, e, false);
            return super.visitIdentifier(t, v);
        }

        @Override public Void visitMemberSelect(MemberSelectTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            String name = t.getIdentifier().toString();
            long from = positions.getEndPosition(unit, t.getExpression());
            if (e != null) print(find(name, from, positions.getEndPosition(unit, t)), name, e, false);
            return super.visitMemberSelect(t, v);
        }

        @Override public Void visitMemberReference(MemberReferenceTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            String name = t.getName().toString();
            long from = positions.getEndPosition(unit, t.getQualifierExpression());
            if (e != null && !name.equals("<init>")) print(find(name, from, positions.getEndPosition(unit, t)), name, e, false);
            return super.visitMemberReference(t, v);
        }

        @Override public Void visitNewClass(NewClassTree t, Void v) {
            Element e = trees.getElement(getCurrentPath());
            Tree id = t.getIdentifier();
            if (id instanceof ParameterizedTypeTree) id = ((ParameterizedTypeTree) id).getType();
            if (e != null && e.getKind() == ElementKind.CONSTRUCTOR && t.getClassBody() == null) {
                String name = e.getEnclosingElement().getSimpleName().toString();
                long end = positions.getEndPosition(unit, id);
                long at = end - name.length();
                if (at >= 0) print(at, name, e, false);
            }
            return super.visitNewClass(t, v);
        }
    }
}
