package dev.tallystick.keys;

/**
 * Within what a key is known, apart from its {@link Door}: who asks, and in which tenant.
 *
 * @param mesh the tenant
 * @param member the id of the authenticated party in it
 */
public record Scope(String mesh, String member) {

    /** Whoever uses the library without saying otherwise. */
    public static final Scope DEFAULT = new Scope("default", "library");

    /**
     * A name of 128 characters and what makes it an id. An index entry of Postgres has 2,704 bytes at most, and holds both and a
     * key, at four bytes a character.
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
