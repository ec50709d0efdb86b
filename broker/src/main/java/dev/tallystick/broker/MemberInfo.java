package dev.tallystick.broker;

import java.time.Instant;

/** A member in a listing. */
public record MemberInfo(Member member, Instant created) {}
