package dev.tallystick.ledger;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.core.Json;
import dev.tallystick.core.file.ForcedFiles;
import dev.tallystick.ledger.history.Anchored;
import dev.tallystick.ledger.ssh.PublicKey;
import dev.tallystick.ledger.tx.CommitId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** An anchor in a file, replaced atomically. Keep it on another disk than the ledger, or better on another machine. */
public final class FileAnchor implements Anchor {

    private static final Set<String> MEMBERS = Set.of("commit", "key", "position", "root", "root_key");

    private final Path file;

    public FileAnchor(Path file) {
        this.file = file.toAbsolutePath();
    }

    @Override
    public Optional<Anchored> read() throws IOException {
        byte[] content;
        try {
            content = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new DamagedAnchorException(file + " cannot be read: " + e.getMessage(), e);
        }
        try {
            Map<String, Json> members = ((Json.ObjectValue) Json.parse(content)).members();
            String position = text(members, "position");
            if (!members.keySet().equals(MEMBERS) || !position.matches("0|[1-9][0-9]{0,17}")) {
                throw new IllegalArgumentException("it has another member, or a position that is no plain number");
            }
            return Optional.of(new Anchored(
                    new CommitId(text(members, "commit")),
                    Long.parseLong(position),
                    text(members, "root"),
                    new PublicKey(text(members, "root_key")),
                    new PublicKey(text(members, "key"))));
        } catch (IllegalArgumentException | ClassCastException e) {
            throw new DamagedAnchorException(file + " is not an anchor: " + e.getMessage(), e);
        }
    }

    @Override
    public synchronized void advance(Anchored head) throws IOException {
        Optional<Anchored> known = read();
        if (known.isPresent() && known.get().position() > head.position()) {
            throw new IllegalArgumentException("the anchor is at position "
                    + known.get().position() + " and cannot move back to " + head.position());
        }
        if (known.isPresent()
                && known.get().position() == head.position()
                && !known.get().equals(head)) {
            throw new IllegalArgumentException("the anchor has another root at position " + head.position());
        }
        Json json = new Json.ObjectValue(Map.of(
                "commit", Json.of(head.commit().hex()),
                "position", Json.of(Long.toString(head.position())),
                "root", Json.of(head.root()),
                "root_key", Json.of(head.rootKey().line()),
                "key", Json.of(head.key().line())));
        ForcedFiles.replace(file, (json.canonical() + "\n").getBytes(UTF_8));
    }

    private static String text(Map<String, Json> members, String name) {
        if (members.get(name) instanceof Json.StringValue text) {
            return text.value();
        }
        throw new IllegalArgumentException("it lacks '" + name + "'");
    }
}
