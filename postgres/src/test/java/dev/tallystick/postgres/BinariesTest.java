package dev.tallystick.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Binaries are unpacked once, regardless of which process is first and of what a dead one left behind. */
@Timeout(120)
class BinariesTest {

    @Test
    void concurrent_processes_share_one_copy_and_remove_a_partial_one() throws IOException {
        try (Sandbox sandbox = new Sandbox()) {
            Path cache = sandbox.root().resolve("cache");
            PrivateFiles.trustContents(cache);
            String name = Binaries.unpackedIn(Binaries.defaultCache(System.getenv()))
                    .home()
                    .getFileName()
                    .toString();
            Files.createDirectories(cache.resolve(name + ".new").resolve("bin"));

            List<Sandbox.Child> children = List.of(
                    sandbox.child("unpack", cache), sandbox.child("unpack", cache), sandbox.child("unpack", cache));
            Set<String> homes = new HashSet<>();
            for (Sandbox.Child child : children) {
                homes.add(child.line());
            }

            assertThat(homes).containsExactly(cache.resolve(name).toString());
            assertThat(entries(cache)).containsExactlyInAnyOrder(name, name + ".lock");
            assertThat(new Binaries(cache.resolve(name)).postgres()).isExecutable();
        }
    }

    @Test
    void the_cache_is_where_the_user_wants_it() {
        assertThat(Binaries.defaultCache(Map.of("TALLY_CACHE_DIR", "/a", "XDG_CACHE_HOME", "/b")))
                .isEqualTo(Path.of("/a"));
        assertThat(Binaries.defaultCache(Map.of("XDG_CACHE_HOME", "/b"))).isEqualTo(Path.of("/b/tallystick"));
        assertThat(Binaries.defaultCache(Map.of()))
                .isEqualTo(Path.of(System.getProperty("user.home"), ".cache", "tallystick"));
    }

    private static List<String> entries(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).toList();
        }
    }
}
