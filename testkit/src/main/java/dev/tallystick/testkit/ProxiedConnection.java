package dev.tallystick.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One client's connection through a {@link TcpProxy}: a thread for the requests, a thread for the replies.
 *
 * <p>It finds the reply to a COMMIT by counting. The server sends ReadyForQuery once after the start-up and once for each
 * simple query, function call and Sync, in order; so the reply to a COMMIT is everything between the previous ReadyForQuery
 * and its own.
 */
final class ProxiedConnection {

    private static final int BUFFER = 64 * 1024;
    private static final int CODE_OF_SSL_REQUEST = 80877103;
    private static final int CODE_OF_GSS_REQUEST = 80877104;

    private final TcpProxy proxy;
    private final Traffic traffic;
    private final Traffic own = new Traffic();
    private final SocketChannel client;
    private final SocketChannel server;
    private final DataInputStream fromClient;
    private final DataInputStream fromServer;
    private final OutputStream toClient;
    private final OutputStream toServer;
    private final AtomicBoolean open = new AtomicBoolean(true);

    private final CommitSpotter spotter = new CommitSpotter();
    private final Signal answered = new Signal("the server's reply to a held COMMIT");
    private long answersDue = 1;
    private volatile long answerToLose = Long.MAX_VALUE;
    private volatile boolean held;
    private volatile boolean committed;

    ProxiedConnection(TcpProxy proxy, Traffic traffic, SocketChannel client, SocketChannel server) {
        this.proxy = proxy;
        this.traffic = traffic;
        this.client = client;
        this.server = server;
        this.fromClient = input(client);
        this.fromServer = input(server);
        this.toClient = output(client);
        this.toServer = output(server);
    }

    void start() {
        Thread.ofVirtual().name("requests through " + proxy.port()).start(this::runRequests);
        Thread.ofVirtual().name("answers through " + proxy.port()).start(this::runAnswers);
    }

    /** Resets the client's connection and ends the server's session, which still reads everything sent so far. */
    void cut() {
        TcpProxy.reset(client);
        close();
    }

    /** Forwards nothing more in either direction, and signals nothing. */
    void abandon() {
        own.stop();
    }

    private void close() {
        if (open.compareAndSet(true, false)) {
            TcpProxy.close(client);
            TcpProxy.close(server);
            traffic.recheck();
            own.recheck();
            answered.fire();
            proxy.ended(this);
        }
    }

    private void runRequests() {
        try {
            forwardRequests();
        } catch (IOException broken) {
            cut();
        } finally {
            if (!held) {
                close();
            }
        }
    }

    private void runAnswers() {
        try {
            forwardAnswers();
        } catch (IOException broken) {
            cut();
        } finally {
            close();
        }
    }

    private void forwardRequests() throws IOException {
        startUp();
        for (var next = WireMessage.read(fromClient); next.isPresent(); next = WireMessage.read(fromClient)) {
            WireMessage message = next.get();
            if (spotter.isCommit(message) && !mayPass(message)) {
                return;
            }
            request(message, toServer);
            if (fromClient.available() == 0) {
                toServer.flush();
            }
        }
        awaitPassage();
    }

    private void startUp() throws IOException {
        WireMessage message = WireMessage.readStartup(fromClient);
        while (message.code() == CODE_OF_SSL_REQUEST || message.code() == CODE_OF_GSS_REQUEST) {
            toClient.write('N');
            toClient.flush();
            message = WireMessage.readStartup(fromClient);
        }
        message.transferTo(toServer);
        toServer.flush();
    }

    /** Applies the fate of the COMMIT; true if it is to be forwarded. */
    private boolean mayPass(WireMessage commit) throws IOException {
        CommitFate fate = proxy.decide(spotter.executed());
        switch (fate) {
            case FORWARD -> proxy.count(fate);
            case LOSE_REPLY -> answerToLose = answersDue + 1;
            case CUT_BEFORE -> {
                proxy.count(fate);
                cut();
            }
            case HOLD -> hold(commit);
        }
        return fate == CommitFate.FORWARD || fate == CommitFate.LOSE_REPLY;
    }

    /** Keeps the COMMIT and its Sync, then disconnects the client. */
    private void hold(WireMessage commit) throws IOException {
        toServer.flush();
        answerToLose = answersDue + 1;
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        request(commit, kept);
        while (answersDue < answerToLose) {
            request(WireMessage.read(fromClient).orElseThrow(EOFException::new), kept);
        }
        held = true;
        proxy.hold(this, new Held(kept.toByteArray()));
        TcpProxy.reset(client);
    }

    private void request(WireMessage message, OutputStream to) throws IOException {
        if (message.type() == 'Q' || message.type() == 'S' || message.type() == 'F') {
            answersDue++;
        }
        message.transferTo(to);
    }

    private void forwardAnswers() throws IOException {
        long answers = 0;
        boolean commit = false;
        for (var next = WireMessage.read(fromServer); next.isPresent(); next = WireMessage.read(fromServer)) {
            WireMessage message = next.get();
            boolean lost = held || answers + 1 == answerToLose;
            message.transferTo(lost ? OutputStream.nullOutputStream() : toClient);
            commit |= message.type() == 'C' && message.string(0).equals("COMMIT");
            if (message.type() == 'Z') {
                answers++;
                if (answers == answerToLose) {
                    lose(commit);
                    return;
                }
                commit = false;
            }
            if (fromServer.available() == 0) {
                toClient.flush();
            }
        }
        toClient.flush();
        awaitPassage();
    }

    private void lose(boolean commit) {
        if (!held) {
            proxy.count(CommitFate.LOSE_REPLY);
        }
        committed = commit;
        answered.fire();
        cut();
    }

    private void awaitPassage() throws IOException {
        try {
            traffic.awaitPassage(open::get);
            own.awaitPassage(open::get);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException();
        }
    }

    private static DataInputStream input(SocketChannel channel) {
        return new DataInputStream(new BufferedInputStream(Channels.newInputStream(channel), BUFFER));
    }

    /** Collects bytes that arrived together; sending waits until the traffic lets them pass. */
    private OutputStream output(SocketChannel channel) {
        OutputStream gated = new FilterOutputStream(Channels.newOutputStream(channel)) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                awaitPassage();
                out.write(bytes, offset, length);
            }
        };
        return new BufferedOutputStream(gated, BUFFER);
    }

    private final class Held implements HeldCommit {

        private final byte[] message;
        private final AtomicBoolean released = new AtomicBoolean();

        Held(byte[] message) {
            this.message = message;
        }

        @Override
        public boolean release() {
            if (released.compareAndSet(false, true)) {
                try {
                    toServer.write(message);
                    toServer.flush();
                } catch (IOException sessionEnded) {
                    close();
                }
            }
            answered.await();
            return committed;
        }

        @Override
        public void drop() {
            close();
        }
    }
}
