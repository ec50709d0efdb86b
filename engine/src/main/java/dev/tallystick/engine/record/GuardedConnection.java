package dev.tallystick.engine.record;

import dev.tallystick.engine.model.Failures;
import dev.tallystick.workflow.MisuseException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection for the work of a transaction step, which is not to end the transaction: that would make its effect durable without
 * its result. Refuses the methods and the SQL that do so, and guards all that it hands out that leads back to it. What gets past
 * this is found out by {@link TransactionStepStore}.
 */
public final class GuardedConnection {

    private static final Set<String> ENDING = Set.of("commit", "setAutoCommit", "close", "abort");

    /** What a connection hands out that leads back to it. */
    private static final List<Class<?>> LEADING_BACK = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            Array.class,
            DatabaseMetaData.class);

    private final Connection real;
    private final String step;
    private final Connection guarded;

    private GuardedConnection(Connection real, String step) {
        this.real = real;
        this.step = step;
        this.guarded = guard(Connection.class, real);
    }

    public static Connection of(Connection real, String step) {
        return new GuardedConnection(real, step).guarded;
    }

    /** The real connection, for our own statements: a statement that fails to complete breaks it. */
    public static Connection behind(Connection connection) throws SQLException {
        return connection.isWrapperFor(GuardedConnection.class)
                ? connection.unwrap(GuardedConnection.class).real
                : connection;
    }

    static MisuseException misuse(String step, String what) {
        return new MisuseException("transaction step '" + step + "' " + what
                + ": its SQL commits together with its result when the step returns, and is rolled back if it throws;"
                + " leave the transaction open, and use a savepoint to take back a part of it");
    }

    /** Stands between the work and what it was handed. */
    private record Guard(GuardedConnection owner, Object target) implements InvocationHandler {

        /** What is guarded; anything else is returned as it is. */
        static Object behind(Object given) {
            return Proxy.isProxyClass(given.getClass()) && Proxy.getInvocationHandler(given) instanceof Guard guard
                    ? guard.target
                    : given;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a proxy is equal to itself alone
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
            return switch (method.getName()) {
                case "equals" -> arguments != null && self == arguments[0];
                case "hashCode" -> System.identityHashCode(self);
                case "getConnection" -> owner.guarded;
                case "unwrap" -> owner.unwrap(self, target, (Class<?>) Objects.requireNonNull(arguments)[0]);
                case "isWrapperFor" -> isWrapperFor(self, (Class<?>) Objects.requireNonNull(arguments)[0]);
                default -> owner.on(target, method, arguments);
            };
        }

        private static boolean isWrapperFor(Object self, Class<?> type) {
            boolean isOfConnection = isDriversInterface(type) || type == GuardedConnection.class;
            return type.isInstance(self) || (isOfConnection && self instanceof Connection);
        }
    }

    private <T> T guard(Class<T> type, Object target) {
        return type.cast(Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {type}, new Guard(this, target)));
    }

    private static boolean isDriversInterface(Class<?> type) {
        return type.getName().equals("org.postgresql.PGConnection");
    }

    /** {@code COPY} needs the driver's interface, which ends nothing; its classes would. */
    private Object unwrap(Object self, Object target, Class<?> type) throws SQLException {
        if (type.isInstance(self)) {
            return self;
        }
        if (type == GuardedConnection.class) {
            return this;
        }
        if (isDriversInterface(type) && target instanceof Connection connection) {
            return guard(type, connection.unwrap(type));
        }
        throw misuse(step, "unwraps " + type.getName() + ", which could end its transaction");
    }

    private @Nullable Object on(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean isConnection = target instanceof Connection;
        if (isConnection && (ENDING.contains(name) || (name.equals("rollback") && method.getParameterCount() == 0))) {
            throw misuse(step, "calls " + name + "() on its connection");
        }
        if (arguments != null && arguments[0] instanceof String sql) {
            demandOpen(method, sql);
        }
        Object answer = call(target, method, arguments);
        for (Class<?> type : LEADING_BACK) {
            if (type.isInstance(answer) && method.getReturnType().isAssignableFrom(type)) {
                return guard(type, answer);
            }
        }
        return answer;
    }

    private void demandOpen(Method method, String sql) {
        String name = method.getName();
        boolean isStatement = name.startsWith("execute") || name.startsWith("prepare") || name.equals("addBatch");
        if (isStatement && TransactionEnds.isIn(sql)) {
            throw misuse(step, "runs '" + Failures.shorten(sql.strip()) + "'");
        }
    }

    private static @Nullable Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        @Nullable Object[] given = arguments == null ? new Object[0] : arguments;
        @Nullable Object[] real = new @Nullable Object[given.length];
        for (int i = 0; i < real.length; i++) {
            Object argument = given[i];
            real[i] = argument == null ? null : Guard.behind(argument);
        }
        try {
            return method.invoke(target, real);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
