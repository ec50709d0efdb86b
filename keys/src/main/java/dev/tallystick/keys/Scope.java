package dev.tallystick.keys;

/**
 * The namespace of a key, besides its {@link KeyKind}: the caller and the tenant.
 *
 * @param mesh the tenant
 * @param member the id of the authenticated party in it
 */
public record Scope(String mesh, String member) {

    /** The default scope of the library. */
    public static final Scope DEFAULT = new Scope("default", "library");

    /**
     * A name of 128 characters, plus the rest of the id. A Postgres index entry has at most 2,704 bytes, and holds both names
     * and a key at four bytes per character.
     */
    public static final int MAX_LENGTH = 140;

    public Scope {
        check("mesh", mesh);
        check("member", member);
    }

    private static void check(String what, String name) {
        Names.check("the name of a " + what, name, MAX_LENGTH);
    }
}
