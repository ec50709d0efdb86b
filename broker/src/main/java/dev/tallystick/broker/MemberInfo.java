package dev.tallystick.broker;

import java.time.Instant;

/** A member as it is listed. */
public record MemberInfo(Member member, Instant created) {}
