package dev.tallystick.tidy;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class files of the modules. A class belongs to the module in whose folder it was compiled, whatever its name. */
final class CompiledModules {

    private final Map<Module, Collection<JavaClass>> classes = new EnumMap<>(Module.class);
    private final Map<String, Module> home = new HashMap<>();

    /** Reads {@code <folder of the module>/target/classes} below the root, for those modules that have been compiled. */
    static CompiledModules below(Path root) {
        CompiledModules modules = new CompiledModules();
        for (Module module : Module.values()) {
            Path compiled = root.resolve(module.folder()).resolve("target/classes");
            if (Files.isDirectory(compiled)) {
                modules.add(module, compiled);
            }
        }
        return modules;
    }

    private void add(Module module, Path compiled) {
        Collection<JavaClass> imported =
                new ClassFileImporter().importPath(compiled).stream().toList();
        classes.put(module, imported);
        imported.forEach(type -> home.put(type.getName(), module));
    }

    boolean has(Module module) {
        return classes.containsKey(module);
    }

    /** Uses of a module by another whose row does not name it. */
    Stream<String> forbiddenArrows() {
        return perClass((module, type) -> type.getDirectDependenciesFromSelf().stream()
                .filter(use -> {
                    Module used = home.get(target(use).getName());
                    return used != null && !module.mayUse(used);
                })
                .map(use -> module + " may not use " + home.get(target(use).getName()) + ": " + use.getDescription()));
    }

    /** Classes outside of the package of their module. */
    Stream<String> misplacedClasses() {
        return perClass((module, type) ->
                module.ownsPackage(type.getPackageName()) ? Stream.of() : Stream.of(module + ": " + type.getName()));
    }

    /** What the classes of a module use beside the JDK, the project and its nullness annotations. */
    Stream<String> foreignUses(Module module) {
        return of(module).stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .filter(use -> !target(use).getPackageName().matches("(java|dev\\.tallystick|org\\.jspecify)(\\..*)?"))
                .filter(use -> !target(use).isPrimitive())
                .map(Dependency::getDescription);
    }

    Stream<String> offences(Ban ban) {
        return perClass((module, type) -> type.getAccessesFromSelf().stream()
                .filter(access -> ban.forbids(module, access))
                .map(access -> module + ": " + access.getDescription()));
    }

    /** The number of top-level types in each package of the module. */
    Map<String, Long> sizes(Module module) {
        return topLevel(module)
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
    }

    /** Which packages of the module each of its packages uses. */
    Map<String, Set<String>> packageArrows(Module module) {
        return arrows(module, JavaClass::getPackageName);
    }

    /** Which top-level types of the module each of its top-level types uses. */
    Map<String, Set<String>> typeArrows(Module module) {
        return arrows(module, type -> outermost(type).getName());
    }

    private Map<String, Set<String>> arrows(Module module, Function<JavaClass, String> name) {
        Map<String, Set<String>> arrows = new TreeMap<>();
        for (JavaClass type : of(module)) {
            Set<String> used = arrows.computeIfAbsent(name.apply(type), key -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(CompiledModules::target)
                    .filter(target -> home.get(target.getName()) == module)
                    .map(name)
                    .filter(target -> !target.equals(name.apply(type)))
                    .forEach(used::add);
        }
        return arrows;
    }

    /** The other modules whose main code uses a package. */
    Set<Module> usersOf(String usedPackage) {
        Set<Module> users = EnumSet.noneOf(Module.class);
        classes.forEach((module, types) -> {
            boolean uses = types.stream()
                    .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                    .map(CompiledModules::target)
                    .anyMatch(target -> target.getPackageName().equals(usedPackage)
                            && home.containsKey(target.getName())
                            && home.get(target.getName()) != module);
            if (uses) {
                users.add(module);
            }
        });
        return users;
    }

    /** The types that are directly inside of a public interface of a package. */
    Set<String> membersIn(String room) {
        return named(classes.values().stream()
                .flatMap(Collection::stream)
                .filter(type -> type.getPackageName().equals(room))
                .filter(type -> type.getEnclosingClass()
                        .filter(outer ->
                                outer.isInterface() && outer.getModifiers().contains(JavaModifier.PUBLIC))
                        .isPresent()));
    }

    /** The types of other modules that a module uses. */
    Set<String> typesUsedBy(Module module) {
        return named(of(module).stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .map(CompiledModules::target)
                .filter(target -> home.get(target.getName()) != module));
    }

    private static Set<String> named(Stream<JavaClass> types) {
        return types.map(type -> type.getName().replaceFirst("^.*\\.", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The public methods of the public classes of a module that need a class of this name, such as {@code Jobs.list}. */
    Set<String> methodsThatNeed(Module module, String simpleName) {
        return of(module).stream()
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.getConstructors().stream()
                        .flatMap(constructor -> constructor.getRawParameterTypes().stream())
                        .anyMatch(parameter -> parameter.getSimpleName().equals(simpleName)))
                .flatMap(type -> type.getMethods().stream())
                .filter(method -> method.getModifiers().contains(JavaModifier.PUBLIC))
                .map(method -> method.getOwner().getSimpleName() + "." + method.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The methods that a module calls, in the same form. */
    Set<String> methodsCalledBy(Module module) {
        return of(module).stream()
                .flatMap(type -> type.getAccessesFromSelf().stream())
                .map(access -> access.getTargetOwner().getSimpleName() + "." + access.getName())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Collection<JavaClass> of(Module module) {
        return classes.getOrDefault(module, List.of());
    }

    private Stream<JavaClass> topLevel(Module module) {
        return of(module).stream()
                .filter(type -> outermost(type) == type && !type.getSimpleName().equals("package-info"));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(CompiledModules::outermost).orElse(type);
    }

    private interface Search {
        Stream<String> in(Module module, JavaClass type);
    }

    private Stream<String> perClass(Search search) {
        return classes.entrySet().stream()
                .flatMap(entry -> entry.getValue().stream().flatMap(type -> search.in(entry.getKey(), type)));
    }

    private static JavaClass target(Dependency use) {
        return use.getTargetClass().getBaseComponentType();
    }

    private CompiledModules() {}
}
