package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;

/** A crash point's name across processes: two modules may call their points alike, so the enum's name comes first. */
final class PointName {

    static String of(CrashPoint point) {
        Class<?> declaring = point instanceof Enum<?> constant ? constant.getDeclaringClass() : point.getClass();
        return declaring.getSimpleName() + "." + point.name();
    }

    private PointName() {}
}
