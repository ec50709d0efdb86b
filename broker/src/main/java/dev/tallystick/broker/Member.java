package dev.tallystick.broker;

import dev.tallystick.keys.Scope;
import java.util.Set;

/**
 * An authenticated party in a mesh.
 *
 * @param name what people call it; after a member was removed, another one may get its name
 * @param id who it is, and nobody else ever: the name, or for the second one of that name {@code name#2}
 */
public record Member(String mesh, String name, String id, Set<Role> roles) {

    private static final char AGAIN = '#';

    public Member {
        Names.require("mesh", mesh);
        Names.require("member", name);
        if (!nameIn(id).equals(name)) {
            throw new IllegalArgumentException("'" + id + "' does not identify a member called '" + name + "'");
        }
        roles = Set.copyOf(roles);
    }

    /** The first member of this name. */
    public Member(String mesh, String name, Set<Role> roles) {
        this(mesh, name, name, roles);
    }

    /** The name of the member that an id stands for. */
    static String nameIn(String id) {
        int again = id.indexOf(AGAIN);
        return again < 0 ? id : id.substring(0, again);
    }

    /** Within what its keys are known. */
    public Scope scope() {
        return new Scope(mesh, id);
    }

    public boolean may(Role role) {
        return roles.contains(role) || roles.contains(Role.ADMIN);
    }

    @Override
    public String toString() {
        return mesh + "/" + id;
    }
}
