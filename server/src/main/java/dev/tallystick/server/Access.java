package dev.tallystick.server;

import dev.tallystick.broker.Member;
import dev.tallystick.broker.Role;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Who may use a route. */
sealed interface Access {

    /** Whoever reaches the server. */
    record Everybody() implements Access {}

    /** Members that have one of the roles. */
    record Members(Set<Role> roles) implements Access {

        boolean includes(Member member) {
            return roles.stream().anyMatch(member::may);
        }

        @Override
        public String toString() {
            return new TreeSet<>(roles).stream().map(Role::word).collect(Collectors.joining(" or "));
        }
    }

    /** Admins of the mesh {@code default}, who look after the whole installation. */
    record Operators() implements Access {

        static final String MESH = "default";

        boolean includes(Member member) {
            return member.mesh().equals(MESH) && member.roles().contains(Role.ADMIN);
        }
    }

    static Access everybody() {
        return new Everybody();
    }

    static Access members(Role... roles) {
        return new Members(Set.copyOf(Arrays.asList(roles)));
    }

    static Access operators() {
        return new Operators();
    }
}
