package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The rooms of the modules: their packages are small, form no cycle, and other modules use only those that are open to them. */
class RoomsTest {

    private static final int MOST_TYPES = 45;
    private static final int LARGEST_CYCLE = 6;
    private static final String NO_OTHER = "no other module";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(dev\\.tallystick[\\w.]*)` \\| (.+?) \\| (.+?) \\|$");

    private static final CompiledModules MODULES = CompiledModules.below(Project.ROOT);

    @ParameterizedTest
    @EnumSource(Module.class)
    void no_package_is_too_large(Module module) {
        assertThat(MODULES.sizes(module))
                .allSatisfy((name, types) -> assertThat(types).as(name).isLessThanOrEqualTo(MOST_TYPES));
    }

    @ParameterizedTest
    @EnumSource(Module.class)
    void packages_form_no_cycle(Module module) {
        assertThat(Cycles.in(MODULES.packageArrows(module))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Module.class)
    void types_form_no_large_cycle(Module module) {
        assertThat(Cycles.in(MODULES.typeArrows(module)))
                .allSatisfy(cycle -> assertThat(cycle).hasSizeLessThanOrEqualTo(LARGEST_CYCLE));
    }

    @Test
    void cycles_are_found() {
        Map<String, Set<String>> arrows =
                Map.of("a", Set.of("b"), "b", Set.of("c", "d"), "c", Set.of("a"), "d", Set.of("e"), "e", Set.of());

        assertThat(Cycles.in(arrows)).containsExactly(Set.of("a", "b", "c"));
    }

    /** A package that is public only to cross an inner wall is no API: its row names the modules that may use it. */
    @Test
    void the_table_in_the_architecture_is_right() throws IOException {
        Map<String, String> told = new TreeMap<>();
        Matcher rows = ROW.matcher(Files.readString(Project.ROOT.resolve("ARCHITECTURE.md")));
        while (rows.find()) {
            told.put(rows.group(1), rows.group(3));
        }

        assertThat(told).isEqualTo(rooms());
    }

    /** The packages of all modules that have several, each with the modules that use it. */
    private static Map<String, String> rooms() {
        Map<String, String> rooms = new TreeMap<>();
        for (Module module : Module.values()) {
            List<String> packages = List.copyOf(MODULES.sizes(module).keySet());
            if (packages.size() > 1) {
                packages.forEach(name -> rooms.put(name, users(name)));
            }
        }
        return rooms;
    }

    private static String users(String name) {
        Stream<Module> users = MODULES.usersOf(name).stream();
        String list = users.map(module -> "`" + module.name().toLowerCase(Locale.ROOT) + "`")
                .collect(Collectors.joining(", "));
        return list.isEmpty() ? NO_OTHER : list;
    }
}
