package dev.tallystick.server.http;

import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Role;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Who may use a route. */
public sealed interface Access {

    /** Everyone who can reach the server. */
    record Everybody() implements Access {}

    /** Members with one of the roles. */
    record Members(Set<Role> roles) implements Access {

        boolean includes(Member member) {
            return roles.stream().anyMatch(member::may);
        }

        @Override
        public String toString() {
            return new TreeSet<>(roles).stream().map(Role::word).collect(Collectors.joining(" or "));
        }
    }

    /**
     * Members of the mesh {@code default}, which manages the whole installation.
     *
     * @param role the role they need; admins have it
     */
    record Operators(Role role) implements Access {

        public static final String MESH = "default";

        boolean includes(Member member) {
            return member.mesh().equals(MESH) && member.may(role);
        }

        @Override
        public String toString() {
            return role.word() + " in the mesh " + MESH;
        }
    }

    static Access everybody() {
        return new Everybody();
    }

    static Access members(Role... roles) {
        return new Members(Set.copyOf(Arrays.asList(roles)));
    }

    static Access operators() {
        return operators(Role.ADMIN);
    }

    static Access operators(Role role) {
        return new Operators(role);
    }
}
