package dev.tallystick.broker.model;

import dev.tallystick.core.Names;
import dev.tallystick.core.Role;
import dev.tallystick.keys.Scope;
import java.util.Set;

/**
 * An authenticated party in a mesh.
 *
 * @param name the display name; after a member is removed, another may get its name
 * @param id the unique identity, never reused: the name, or {@code name#2} for the second member of that name
 */
public record Member(String mesh, String name, String id, Set<Role> roles) {

    private static final char AGAIN = '#';

    public Member {
        Names.require("mesh", mesh);
        Names.require("member", name);
        if (!nameIn(id).equals(name)) {
            throw new IllegalArgumentException("'" + id + "' is not the ID of a member called '" + name + "'");
        }
        roles = Set.copyOf(roles);
    }

    /** The first member of this name. */
    public Member(String mesh, String name, Set<Role> roles) {
        this(mesh, name, name, roles);
    }

    /** The member name in an ID. */
    public static String nameIn(String id) {
        int again = id.indexOf(AGAIN);
        return again < 0 ? id : id.substring(0, again);
    }

    /** The scope of its keys. */
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
