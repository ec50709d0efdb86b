package dev.tallystick.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A connection for the work of a transaction step, which must not end the transaction: that would make its effect durable
 * without its result. It refuses the methods that end a transaction, and statements that begin like one that does.
 * {@link TransactionStepStore} detects what gets past this, perhaps through the driver's own classes.
 */
final class GuardedConnection {

    /** {@code rollback to} a savepoint does not end the transaction. */
    private static final Pattern ENDS_TRANSACTION = Pattern.compile("(?is)(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*+"
            + "(?:commit|end|abort|prepare\\s+transaction|rollback(?!\\s+(?:(?:work|transaction)\\s+)?to\\b))\\b.*");

    private static final Set<String> ENDING = Set.of("commit", "setAutoCommit", "close", "abort");

    /** The objects handed out by a connection that lead back to it. */
    private static final List<Class<?>> LEADING_BACK =
            List.of(CallableStatement.class, PreparedStatement.class, Statement.class, DatabaseMetaData.class);

    private final Connection real;
    private final String step;
    private final Connection guarded;

    private GuardedConnection(Connection real, String step) {
        this.real = real;
        this.step = step;
        this.guarded = proxy(Connection.class, this::onConnection);
    }

    static Connection of(Connection real, String step) {
        return new GuardedConnection(real, step).guarded;
    }

    /** The real connection, for our own statements: a statement that fails to complete breaks it. */
    static Connection behind(Connection connection) throws SQLException {
        return connection.isWrapperFor(GuardedConnection.class)
                ? connection.unwrap(GuardedConnection.class).real
                : connection;
    }

    static MisuseException misuse(String step, String what) {
        return new MisuseException("transaction step '" + step + "' " + what
                + ": its SQL commits together with its result when the step returns, and is rolled back if it throws;"
                + " leave the transaction open, and use a savepoint to take back a part of it");
    }

    private interface Call {
        @Nullable
        Object answer(Object self, Method method, Object @Nullable [] arguments) throws Throwable;
    }

    @SuppressWarnings("ReferenceEquality") // a proxy equals only itself
    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> switch (method.getName()) {
                    case "equals" -> arguments != null && self == arguments[0];
                    case "hashCode" -> System.identityHashCode(self);
                    default -> call.answer(self, method, arguments);
                }));
    }

    private @Nullable Object onConnection(Object self, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        if (ENDING.contains(name) || (name.equals("rollback") && method.getParameterCount() == 0)) {
            throw misuse(step, "calls " + name + "() on its connection");
        }
        if (arguments != null && arguments[0] == GuardedConnection.class) {
            return name.equals("unwrap") ? this : true;
        }
        return on(real, self, method, arguments);
    }

    private @Nullable Object on(Object target, Object self, Method method, Object @Nullable [] arguments)
            throws Throwable {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof String sql) {
            demandOpen(method, sql);
        }
        if (method.getName().equals("getConnection")) {
            return guarded;
        }
        if (method.getName().equals("unwrap") && arguments != null && ((Class<?>) arguments[0]).isInstance(self)) {
            return self;
        }
        Object answer = call(target, method, arguments);
        for (Class<?> type : LEADING_BACK) {
            if (answer != null && type.isInstance(answer) && type.isAssignableFrom(method.getReturnType())) {
                return guard(type, answer);
            }
        }
        return answer;
    }

    private <T> T guard(Class<T> type, Object target) {
        return proxy(type, (self, method, arguments) -> on(target, self, method, arguments));
    }

    private void demandOpen(Method method, String sql) {
        String name = method.getName();
        boolean isStatement = name.startsWith("execute") || name.startsWith("prepare") || name.equals("addBatch");
        if (isStatement && ENDS_TRANSACTION.matcher(sql).matches()) {
            throw misuse(step, "runs '" + Failures.shorten(sql.strip()) + "'");
        }
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
