package dev.tallystick.ledger.verifier.git;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;

/** The names that {@code git fsck} lets a tree have: none leads elsewhere when the tree is checked out, on any system. */
public final class GitNames {

    /** Windows takes all of these for {@code .git}, on their own or after a backslash. */
    private static final Pattern DOT_GIT =
            Pattern.compile("(?i)(.*\\\\)?(\\.git|git~1)[. ]*([\\\\:].*)?", Pattern.DOTALL);

    /** macOS ignores these characters in names. */
    private static final Pattern IGNORED = Pattern.compile("[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]");

    private GitNames() {}

    public static void check(byte[] bytes, int begin, int end) throws Unsound {
        boolean plain = bytes[begin] != '.' && bytes[begin] != 'g' && bytes[begin] != 'G';
        for (int i = begin; i < end; i++) {
            if (bytes[i] == '/') {
                throw new Unsound("a tree has an entry whose name has a slash");
            }
            plain &= bytes[i] > 0 && bytes[i] != '\\';
        }
        if (plain) {
            return;
        }
        String name = new String(bytes, begin, end - begin, UTF_8);
        String seen = IGNORED.matcher(name).replaceAll("");
        if (seen.equals(".") || seen.equals("..") || DOT_GIT.matcher(seen).matches()) {
            throw new Unsound("a tree has an entry with the name '" + name + "'");
        }
    }
}
