package dev.tallystick.testkit;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A database and its credentials. */
record Endpoint(String host, int port, String database, String user, String password) {

    Endpoint through(TcpProxy proxy) {
        return new Endpoint(proxy.host(), proxy.port(), database, user, password);
    }

    SocketAddress address() {
        return new InetSocketAddress(host, port);
    }

    // Unencrypted: a proxy has to read the traffic, and everything stays on this machine.
    String url() {
        return "jdbc:postgresql://%s:%d/%s?user=%s&password=%s&sslmode=disable&gssEncMode=disable"
                .formatted(host, port, database, encoded(user), encoded(password));
    }

    DataSource dataSource() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url());
        return source;
    }

    @Override
    public String toString() {
        return database + " at " + host + ":" + port;
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }
}
