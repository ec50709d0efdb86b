package dev.tallystick.tidy;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * What the compiler's parser sees in a Java file. Rules about names and literals ask here instead of guessing with
 * regular expressions.
 */
record JavaSyntax(List<Type> types, List<Method> methods, List<Variable> variables, List<Text> texts) {

    record Type(int line, String name) {}

    record Method(int line, String name, boolean isPublic, boolean overrides) {}

    /** A field of a class or a parameter of a method; no record component, local variable or lambda's parameter. */
    record Variable(int line, String name, String type) {}

    /** The value of a string literal or a text block. */
    record Text(int line, String value) {}

    private static final Map<SourceFile, JavaSyntax> PARSED = new ConcurrentHashMap<>();

    static JavaSyntax of(SourceFile file) {
        return PARSED.computeIfAbsent(file, JavaSyntax::parse);
    }

    private static JavaSyntax parse(SourceFile file) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavacTask task = (JavacTask)
                compiler.getTask(null, null, null, List.of("-proc:none"), null, List.of(new InMemorySource(file)));
        JavaSyntax syntax = new JavaSyntax(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try {
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Collector(unit, positions, syntax).scan(unit, null);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return syntax;
    }

    private static final class Collector extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final JavaSyntax syntax;

        Collector(CompilationUnitTree unit, SourcePositions positions, JavaSyntax syntax) {
            this.unit = unit;
            this.positions = positions;
            this.syntax = syntax;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void nothing) {
            if (!type.getSimpleName().isEmpty()) {
                syntax.types.add(new Type(lineOf(type), type.getSimpleName().toString()));
            }
            return super.visitClass(type, null);
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void nothing) {
            boolean inInterface = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.INTERFACE;
            var modifiers = method.getModifiers();
            syntax.methods.add(new Method(
                    lineOf(method),
                    method.getName().toString(),
                    modifiers.getFlags().contains(Modifier.PUBLIC)
                            || (inInterface && !modifiers.getFlags().contains(Modifier.PRIVATE)),
                    modifiers.getAnnotations().stream()
                            .anyMatch(annotation ->
                                    annotation.getAnnotationType().toString().equals("Override"))));
            return super.visitMethod(method, null);
        }

        @Override
        public @Nullable Void visitVariable(VariableTree variable, @Nullable Void nothing) {
            Tree parent = getCurrentPath().getParentPath().getLeaf();
            Tree grandparent = getCurrentPath().getParentPath().getParentPath().getLeaf();
            boolean ofRecord = parent.getKind() == Tree.Kind.RECORD
                    || (grandparent.getKind() == Tree.Kind.RECORD
                            && parent instanceof MethodTree method
                            && method.getName().contentEquals("<init>"));
            if (!ofRecord && (parent instanceof ClassTree || parent instanceof MethodTree)) {
                syntax.variables.add(new Variable(
                        lineOf(variable), variable.getName().toString(), String.valueOf(variable.getType())));
            }
            return super.visitVariable(variable, null);
        }

        @Override
        public @Nullable Void visitLiteral(LiteralTree literal, @Nullable Void nothing) {
            if (literal.getValue() instanceof String value) {
                syntax.texts.add(new Text(lineOf(literal), value));
            }
            return super.visitLiteral(literal, null);
        }

        private int lineOf(Tree tree) {
            return (int) unit.getLineMap().getLineNumber(positions.getStartPosition(unit, tree));
        }
    }

    /** A source that the compiler reads from memory. */
    static final class InMemorySource extends SimpleJavaFileObject {
        private final String text;

        InMemorySource(SourceFile file) {
            super(URI.create("string:///" + file.path()), JavaFileObject.Kind.SOURCE);
            this.text = file.text();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
