package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.ledger.verifier.document.CanonicalText;
import dev.tallystick.ledger.verifier.git.LooseObject;
import dev.tallystick.ledger.verifier.git.ObjectCache;
import dev.tallystick.ledger.verifier.git.PackFile;
import dev.tallystick.ledger.verifier.git.PackWindow;
import dev.tallystick.ledger.verifier.git.StoredObject;
import dev.tallystick.ledger.verifier.git.Unsound;
import dev.tallystick.ledger.verifier.signature.SshKey;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What the verifier reads, one format at a time. Each returns, or refuses with {@link Unsound}. */
public final class FuzzedReaders {

    private FuzzedReaders() {}

    /** Reads one format. */
    public interface Reader {
        void read(byte[] bytes) throws IOException, Refused;
    }

    /** The reader's own word for what is wrong. */
    public static final class Refused extends Exception {
        private Refused(Unsound why) {
            super(why.detail(), why);
        }
    }

    private interface Reading {
        void run() throws IOException, Unsound;
    }

    private static void refusing(Reading reading) throws IOException, Refused {
        try {
            reading.run();
        } catch (Unsound e) {
            throw new Refused(e);
        }
    }

    public static void commit(byte[] bytes, String keyLine) throws IOException, Refused {
        refusing(() -> {
            SignedCommit commit = SignedCommit.parse("", bytes);
            commit.lineage();
            if (!commit.isForeign() && commit.position() < 0) {
                throw new IllegalStateException("a negative position");
            }
            commit.isSignedBy(SshKey.parse(keyLine));
        });
    }

    public static void tree(byte[] bytes, byte[] other) throws IOException, Refused {
        refusing(() -> {
            Tree tree = Tree.parse(bytes);
            for (Tree.Entry entry : tree.entries()) {
                tree.find(entry.name());
            }
            Tree.differences(tree, Tree.parse(other));
            Tree.differences(Tree.EMPTY, tree);
        });
    }

    public static void transaction(byte[] bytes) throws IOException, Refused {
        refusing(() -> {
            Transaction transaction = Transaction.parse(bytes);
            transaction.directory();
            transaction.jsonTexts().forEach(CanonicalText::isCanonical);
        });
    }

    public static void keyFile(byte[] bytes) throws IOException, Refused {
        refusing(() -> new Ring().add("1", bytes));
    }

    /** A receipt is proven or refused, and nothing else. */
    public static void receipt(byte[] bytes, String rootKey) {
        ReceiptCheck verdict = ReceiptCheck.of(new String(bytes, UTF_8), rootKey);
        if (verdict instanceof ReceiptCheck.Refused refused && refused.reason().isEmpty()) {
            throw new IllegalStateException("refused without a reason");
        }
    }

    public static void looseObject(Path file, String id) throws IOException, Refused {
        refusing(() -> {
            LooseObject.audit(file, id);
            LooseObject.read(file);
        });
    }

    /** Audits a pack and looks every object up. */
    public static void pack(Path file, List<String> ids) throws IOException, Refused {
        refusing(() -> {
            PackFile pack = new PackFile(file, new ObjectCache<>(1 << 20));
            try (PackWindow window = new PackWindow(1 << 12)) {
                for (String id : ids) {
                    try {
                        pack.find(HexFormat.of().parseHex(id), window).ifPresent(StoredObject::id);
                    } catch (Unsound e) {
                        // The next one may be whole.
                    }
                }
                pack.auditFrame();
                for (PackFile.Range range : pack.ranges(1 << 10)) {
                    pack.audit(range, window, new LongAdder());
                }
            }
        });
    }
}
