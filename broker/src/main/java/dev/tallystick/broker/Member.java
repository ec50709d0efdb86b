package dev.tallystick.broker;

import dev.tallystick.keys.Scope;
import java.util.Set;

/** An authenticated party in a mesh. */
public record Member(String mesh, String name, Set<Role> roles) {

    public Member {
        Names.require("mesh", mesh);
        Names.require("member", name);
        roles = Set.copyOf(roles);
    }

    /** Within what its keys are known. */
    public Scope scope() {
        return new Scope(mesh, name);
    }

    public boolean may(Role role) {
        return roles.contains(role) || roles.contains(Role.ADMIN);
    }

    @Override
    public String toString() {
        return mesh + "/" + name;
    }
}
