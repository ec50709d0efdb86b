package dev.tallystick.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallystick.client.mint.KeyMint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * A process with a mint whose disk fails when a purpose is to be settled, and not again. Prints the key, the failure, and the key
 * again.
 */
public final class MintOnBadDisk {

    public static final String PURPOSE = "the order of a customer with a long name";
    public static final String OTHER = "x";

    /** Not enough to settle {@link #PURPOSE}, enough to settle {@link #OTHER}. */
    private static final int ROOM = 20;

    /** Its arguments: the file of the mint, and {@code full} if that cannot grow for ever. */
    public static void main(String[] arguments) throws IOException {
        Path file = Path.of(arguments[0]);
        try (KeyMint mint = KeyMint.open(file, "desk-1", new SecureRandom())) {
            System.out.println(mint.keyFor(PURPOSE).value());
            if (arguments.length > 1) {
                fill(mint, file);
            }
            try {
                String answer = mint.under(PURPOSE, key -> "the server has answered");
                System.out.println(answer);
            } catch (UncheckedIOException e) {
                System.out.println(e.getMessage());
            }
            System.out.println(mint.keyFor(PURPOSE).value());
            mint.settled(OTHER, mint.keyFor(OTHER));
        }
    }

    private static void fill(KeyMint mint, Path file) throws IOException {
        long before = Files.size(file);
        mint.keyFor(OTHER);
        long after = Files.size(file);
        long withoutPurpose = after - before - OTHER.length();
        long room = largestFile(file.resolveSibling("scratch")) - after;
        mint.keyFor("y".repeat(Math.toIntExact(room - withoutPurpose - ROOM)));
    }

    private static long largestFile(Path scratch) throws IOException {
        byte[] some = "0123456789abcdef".repeat(16).getBytes(UTF_8);
        try {
            while (true) {
                Files.write(scratch, some, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
        } catch (IOException e) {
            return Files.size(scratch);
        }
    }

    private MintOnBadDisk() {}
}
