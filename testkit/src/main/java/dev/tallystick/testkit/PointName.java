package dev.tallystick.testkit;

import dev.tallystick.core.CrashPoint;

/** A crash point's name across processes, prefixed with the enum's name because two modules may use the same point name. */
final class PointName {

    static String of(CrashPoint point) {
        Class<?> declaring = point instanceof Enum<?> constant ? constant.getDeclaringClass() : point.getClass();
        return declaring.getSimpleName() + "." + point.name();
    }

    private PointName() {}
}
