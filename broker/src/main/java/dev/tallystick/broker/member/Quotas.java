package dev.tallystick.broker.member;

import dev.tallystick.core.Setting;
import java.util.Map;

/**
 * Limits on stored objects, so that no tenant fills the shared database.
 *
 * @param topics of a mesh
 * @param queues of a mesh
 * @param members of a mesh
 * @param tokens valid tokens of a member
 * @param schedules of a mesh
 * @param schedulesOfMember of one member
 */
public record Quotas(int topics, int queues, int members, int tokens, int schedules, int schedulesOfMember) {

    public static final String TOPICS = "TALLY_MAX_TOPICS";
    public static final String QUEUES = "TALLY_MAX_QUEUES";
    public static final String MEMBERS = "TALLY_MAX_MEMBERS";
    public static final String TOKENS = "TALLY_MAX_TOKENS";
    public static final String SCHEDULES = "TALLY_MAX_SCHEDULES";
    public static final String SCHEDULES_OF_MEMBER = "TALLY_MAX_SCHEDULES_PER_MEMBER";

    public static final Quotas DEFAULT = new Quotas(10_000, 10_000, 10_000, 100, 1_000, 500);

    public Quotas {
        require(TOPICS, topics);
        require(QUEUES, queues);
        require(MEMBERS, members);
        require(TOKENS, tokens);
        require(SCHEDULES, schedules);
        require(SCHEDULES_OF_MEMBER, schedulesOfMember);
    }

    /** The defaults, as changed by the environment. */
    public static Quotas from(Map<String, String> environment) {
        return new Quotas(
                Setting.number(environment, TOPICS, DEFAULT.topics),
                Setting.number(environment, QUEUES, DEFAULT.queues),
                Setting.number(environment, MEMBERS, DEFAULT.members),
                Setting.number(environment, TOKENS, DEFAULT.tokens),
                Setting.number(environment, SCHEDULES, DEFAULT.schedules),
                Setting.number(environment, SCHEDULES_OF_MEMBER, DEFAULT.schedulesOfMember));
    }

    private static void require(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " must be at least 1, got " + value);
        }
    }
}
