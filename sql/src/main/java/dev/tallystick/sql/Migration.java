package dev.tallystick.sql;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One numbered step of a schema. A step only adds; it never removes anything that the previous version still uses. A step that
 * has to says so in its first line, {@code -- needs code N}: instances that do not know step N then refuse to start.
 */
record Migration(int number, String name, String sql, int needsCode) {

    private static final Pattern FILE = Pattern.compile("(\\d{4})-([a-z0-9-]+)\\.sql");
    private static final Pattern NEEDS_CODE = Pattern.compile("-- needs code (\\d+)\\R.*", Pattern.DOTALL);

    static Migration of(String file, String sql) {
        Matcher named = FILE.matcher(file);
        if (!named.matches()) {
            throw new IllegalArgumentException("a migration needs a name such as 0001-what-it-adds.sql, not " + file);
        }
        Matcher needs = NEEDS_CODE.matcher(sql);
        int needsCode = needs.matches() ? Integer.parseInt(needs.group(1)) : 0;
        return new Migration(Integer.parseInt(named.group(1)), named.group(2), sql, needsCode);
    }

    String digest() {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(sql.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public String toString() {
        return "%04d-%s".formatted(number, name);
    }
}
