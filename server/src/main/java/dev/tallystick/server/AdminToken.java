package dev.tallystick.server;

import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.member.Token;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Role;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.routes.MemberRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of the first admin, in a file that only its owner can read. If the file is missing, or contains a token that this
 * database has never issued, the server issues another one: a user who may start a server on this database may do everything
 * anyway, and neither a crash before the file was written nor a change of database may lock everyone out.
 */
final class AdminToken {

    static final String FILE = "admin.token";

    private static final Logger LOG = LoggerFactory.getLogger(AdminToken.class);

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Ensures that the mesh, its admin and the file exist; returns whether the file is new. */
    static boolean ensure(Members members, Path directory) {
        String mesh = Access.Operators.MESH;
        members.createMesh(mesh);
        members.create(new Member(mesh, MemberRoutes.ADMIN, EnumSet.of(Role.ADMIN)));
        Path file = directory.resolve(FILE);
        boolean isThere = Files.exists(file);
        if (isThere && isForUs(members, file)) {
            return false;
        }
        String token = members.issue(mesh, MemberRoutes.ADMIN, null)
                .orElseThrow(() -> new IllegalStateException("the admin was made a moment ago"))
                .token()
                .reveal();
        try {
            write(file, token + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
        if (isThere) {
            LOG.warn("{} had no token of this database: a new one was issued and is in its place", file);
        }
        return true;
    }

    /** A revoked or expired token belongs to this database and stays; so does a file that the server may not read. */
    private static boolean isForUs(Members members, Path file) {
        if (!Files.isReadable(file)) {
            return true;
        }
        try {
            String content = Files.readString(file, StandardCharsets.ISO_8859_1);
            return Token.parse(content.strip()).filter(members::isIssued).isPresent();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }

    private static void write(Path file, String content) throws IOException {
        Path fresh = file.resolveSibling(FILE + ".new");
        Files.deleteIfExists(fresh);
        try (FileChannel channel =
                FileChannel.open(fresh, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OWNER_ONLY)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(content);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private AdminToken() {}
}
