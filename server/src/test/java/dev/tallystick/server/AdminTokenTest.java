package dev.tallystick.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.testkit.TestPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whether the token in the file opens the door of the server that was started beside it. */
class AdminTokenTest {

    @RegisterExtension
    static final TestPostgres postgres = TestPostgres.perTest();

    @RegisterExtension
    static final TestPostgres another = TestPostgres.perTest();

    @TempDir
    Path data;

    private Path file;

    @BeforeEach
    void name() {
        file = data.resolve(AdminToken.FILE);
    }

    @Test
    void a_token_of_another_database_makes_room_for_one_of_this() throws IOException {
        start(another).close();
        String before = Files.readString(file);

        try (TallyServer server = start(postgres)) {
            assertThat(server.isFirstStart()).isTrue();
            assertThat(Files.readString(file)).isNotEqualTo(before);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(admin(server).get("/v1/members").status()).isEqualTo(200);
        }
    }

    @Test
    void what_is_no_token_makes_room_for_one() throws IOException {
        Files.write(file, new byte[] {(byte) 0xff, '\n'});

        try (TallyServer server = start(postgres)) {
            assertThat(admin(server).get("/v1/members").status()).isEqualTo(200);
        }
    }

    @Test
    void a_crash_before_the_file_was_replaced_leaves_a_start_that_works() throws IOException {
        start(another).close();
        String before = Files.readString(file);
        start(postgres).close();
        Files.writeString(file, before);

        try (TallyServer server = start(postgres)) {
            assertThat(admin(server).get("/v1/members").status()).isEqualTo(200);
        }
    }

    @Test
    void a_token_of_this_database_stays_also_if_it_was_revoked() throws IOException {
        start(postgres).close();
        String token = Files.readString(file);
        try (TallyServer server = start(postgres)) {
            assertThat(server.isFirstStart()).isFalse();
            assertThat(Files.readString(file)).isEqualTo(token);
            assertThat(admin(server)
                            .delete("/v1/tokens/" + token.split("_", 3)[1])
                            .status())
                    .isEqualTo(204);
        }

        try (TallyServer server = start(postgres)) {
            assertThat(server.isFirstStart()).isFalse();
            assertThat(Files.readString(file)).isEqualTo(token);
            assertThat(admin(server).get("/v1/members").status()).isEqualTo(401);
        }
    }

    private TallyServer start(TestPostgres database) {
        return TallyServer.start(ServerUnderTest.settings(database.url(), data));
    }

    private Http admin(TallyServer server) {
        return new Http(server.address(), ServerUnderTest.adminToken(data));
    }
}
