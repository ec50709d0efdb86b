package dev.tallystick.server;

import dev.tallystick.broker.member.Members;
import dev.tallystick.broker.member.Token;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Role;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.server.http.Access;
import dev.tallystick.server.routes.MemberRoutes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
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
            ForcedFiles.replace(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
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

    private AdminToken() {}
}
