package dev.tallystick.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallystick.ledger.git.Drill;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.tools.ToolProvider;

/**
 * A bug planted in the text of one source file, which is recompiled for it: the product needs no hooks, and everything else
 * stays unchanged.
 */
enum PlantedBug {
    /** A writer builds on any target of main. */
    SIGNATURE_NOT_CHECKED_BEFORE_BUILDING("write/VerifiedHead", "if (!findings.isEmpty()) {", "if (false) {"),
    /** A key file that anyone can put there vouches for a head. */
    RECORD_BELIEVED_UNDER_ANY_KEY(
            "write/VerifiedHead", "recorded != null && recorded.key.equals(key.publicKey())", "recorded != null"),
    /** An anchor follows any head with a higher position. */
    ANCHOR_MOVED_BY_NUMBER("Ledger", "if (!report.isClean()) {", "if (false) {"),
    /** The quick verification checks roots but not who signed them. */
    QUICK_VERIFICATION_WITHOUT_SIGNATURES("verifier/SignedCommit", "&& key.hasSigned(", "&& true || key.hasSigned("),
    /** The saved index is used whatever its seal says. */
    INDEX_NOT_SEALED(
            "query/IndexFile", "return MessageDigest.isEqual(seal.array(), seal(key, digest));", "return true;"),
    /** The index keeps showing its state when saved. */
    INDEX_NOT_TIED_TO_THE_HEAD("query/QueryIndex", "before.commit().equals(now.commit())", "true"),
    /** Git's other files are not checked. */
    SURROUNDINGS_NOT_CHECKED(
            "verifier/RepositoryFiles", "for (String ref : SHADOWS) {", "for (String ref : List.<String>of()) {"),
    /** A name in the root tree may lead into a directory of the ledger's. */
    NAMES_WITH_SLASHES_ACCEPTED("verifier/git/GitNames", "if (bytes[i] == '/') {", "if (false) {"),
    /** A signature has many forms, and so has a commit's ID. */
    SIGNATURES_REWRAPPED("verifier/signature/SshKey", "if (!body.equals(", "if (false && !body.equals("),
    /** Of an anchor, only the root counts. */
    REST_OF_THE_ANCHOR_IGNORED("verifier/Verifier", "if (anchored.isPresent()) {", "if (false) {"),
    /** A receipt may say the same thing twice. */
    MEMBERS_OF_A_RECEIPT_NOT_COUNTED("verifier/ReceiptCheck", "equals(MEMBERS)", "containsAll(MEMBERS)");

    private final String file;
    private final String right;
    private final String wrong;

    PlantedBug(String file, String right, String wrong) {
        this.file = file;
        this.right = right;
        this.wrong = wrong;
    }

    /** The attacks of {@link Drill} that succeed on a ledger with this bug. */
    List<?> violations(Path scratch) throws IOException, ReflectiveOperationException {
        try (URLClassLoader classes = planted(scratch)) {
            return (List<?>) classes.loadClass(Drill.class.getName())
                    .getDeclaredMethod("violations", Path.class)
                    .invoke(null, scratch);
        }
    }

    private URLClassLoader planted(Path scratch) throws IOException {
        Path source = Path.of(System.getProperty("tally.root"), "ledger/src/main/java/dev/tallystick/ledger")
                .resolve(file + ".java");
        String text = Files.readString(source);
        String planted = text.replace(right, wrong);
        assertThat(planted).as("the text to plant it in is still there").isNotEqualTo(text);
        Path changed = scratch.resolve(source.getFileName());
        Files.writeString(changed, planted);
        Path classes = Files.createDirectory(scratch.resolve("planted-" + name()));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        null,
                        null,
                        "-proc:none",
                        "-nowarn",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-d",
                        classes.toString(),
                        changed.toString());
        assertThat(status).as("it compiles").isZero();
        List<URL> places = new ArrayList<>(List.of(classes.toUri().toURL()));
        for (String place : System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1)) {
            places.add(Path.of(place).toUri().toURL());
        }
        return new OwnLedger(places.toArray(URL[]::new), name -> name.startsWith(PlantedBug.class.getPackageName()));
    }

    /** Loads the ledger's classes itself and delegates all others. */
    private static final class OwnLedger extends URLClassLoader {

        private final Predicate<String> own;

        OwnLedger(URL[] places, Predicate<String> own) {
            super(places, PlantedBug.class.getClassLoader());
            this.own = own;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!own.test(name)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}
