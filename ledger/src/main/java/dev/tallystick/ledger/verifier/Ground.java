package dev.tallystick.ledger.verifier;

import dev.tallystick.ledger.verifier.git.Unsound;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Commits that are taken for sound, so that the commits after them can be judged. */
final class Ground {

    private final ObjectFiles objects;
    private final History history;

    Ground(ObjectFiles objects, History history) {
        this.objects = objects;
        this.history = history;
    }

    /**
     * Takes a commit for what it says it is. The roots that it skips to, one after the other, are taken from it: a commit on
     * top of it must skip to one of them.
     */
    void believe(String id) throws IOException, Unsound {
        SignedCommit newest = rooted(id);
        Deque<SignedCommit> oldestFirst = new ArrayDeque<>();
        SignedCommit at = newest;
        while (at.position() > 0) {
            at = skipped(at);
            oldestFirst.push(at);
        }
        Links.Link skip = null;
        for (SignedCommit commit : oldestFirst) {
            skip = believe(commit.id(), commit, skip);
        }
        believe(id, newest, skip);
    }

    private Links.Link believe(String id, SignedCommit rooted, Links.@Nullable Link skip) throws IOException, Unsound {
        String keys = objects.tree(rooted.tree()).id("keys");
        return history.believe(id, rooted.position(), rooted.trailer("Root"), keys, skip);
    }

    /** The commit whose root this one skips to. Where to find it is only a hint, so without it the way leads back over parents. */
    private SignedCommit skipped(SignedCommit commit) throws IOException, Unsound {
        long position = commit.position() - Long.lowestOneBit(commit.position());
        SignedCommit hinted = hinted(commit);
        SignedCommit at = hinted == null ? parent(commit) : hinted;
        while (at.position() > position) {
            at = parent(at);
        }
        if (at.position() != position || !at.trailer("Root").equals(commit.trailer("Skip"))) {
            throw new Unsound("commit " + commit.id() + " skips to a root that is not behind it");
        }
        return at;
    }

    private @Nullable SignedCommit hinted(SignedCommit commit) throws IOException {
        try {
            SignedCommit hinted = read(commit.trailer("SkipCommit"));
            return !hinted.isForeign() && hinted.trailer("Root").equals(commit.trailer("Skip")) ? hinted : null;
        } catch (Unsound e) {
            return null;
        }
    }

    private SignedCommit parent(SignedCommit commit) throws IOException, Unsound {
        if (commit.lineage().isEmpty()) {
            throw new Unsound("no commit bears a root");
        }
        return rooted(commit.lineage().getFirst());
    }

    /** The commit itself if it bears a root, or the newest before it that does. */
    private SignedCommit rooted(String id) throws IOException, Unsound {
        SignedCommit at = read(id);
        while (at.isForeign()) {
            if (at.lineage().isEmpty()) {
                throw new Unsound("no commit bears a root");
            }
            at = read(at.lineage().getFirst());
        }
        return at;
    }

    private SignedCommit read(String id) throws IOException, Unsound {
        return SignedCommit.parse(id, objects.read(id, "commit"));
    }
}
