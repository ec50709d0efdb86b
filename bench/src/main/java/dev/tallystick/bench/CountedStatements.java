package dev.tallystick.bench;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Counts the statements that are prepared on the connections of a database. If each is prepared once, that many are run. */
final class CountedStatements {

    private final LongAdder prepared = new LongAdder();

    /** The same database, on connections that count. */
    DataSource on(DataSource database) {
        return proxy(DataSource.class, (self, method, arguments) -> {
            @Nullable Object answer = call(database, method, arguments);
            return answer instanceof Connection connection ? counting(connection) : answer;
        });
    }

    long count() {
        return prepared.sum();
    }

    private Connection counting(Connection connection) {
        return proxy(Connection.class, (self, method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                prepared.increment();
            }
            return call(connection, method, arguments);
        });
    }

    private static @Nullable Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
