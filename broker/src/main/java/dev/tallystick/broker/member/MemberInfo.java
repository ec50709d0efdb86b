package dev.tallystick.broker.member;

import dev.tallystick.broker.model.Member;
import java.time.Instant;

/** A member in a listing. */
public record MemberInfo(Member member, Instant created) {}
