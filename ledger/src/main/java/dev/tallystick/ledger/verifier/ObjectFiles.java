package dev.tallystick.ledger.verifier;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Every object file of a repository. What is handed out has the id that was asked for. A writer may join packs meanwhile: its
 * new pack is there before the old ones go, so what is not found is looked for once more in the packs of that moment.
 */
final class ObjectFiles implements AutoCloseable {

    private static final int CACHED = 20_000;
    private static final int LARGEST_OBJECT = 256 << 20;

    private final Path objects;
    private final Findings findings;
    private final List<PackFile> packs = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final Map<String, StoredObject> cache = new LinkedHashMap<>(1024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, StoredObject> eldest) {
            return size() > CACHED;
        }
    };

    ObjectFiles(Path objects, Findings findings) throws IOException {
        this.objects = objects;
        this.findings = findings;
        openPacks();
    }

    /** Opens the packs that are not open yet. */
    private void openPacks() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(objects.resolve("pack"), "pack-*.pack")) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (known.contains(name) || !Files.exists(file.resolveSibling(name.replace(".pack", ".idx")))) {
                    continue; // open already, or unfinished: a crash left it, and nothing refers to it
                }
                try {
                    packs.add(new PackFile(file));
                    known.add(name);
                } catch (NoSuchFileException | FileNotFoundException e) {
                    // Joined to another pack a moment ago.
                } catch (Unsound e) {
                    known.add(name);
                    findings.add(Finding.Kind.OBJECT, name, e.detail());
                }
            }
        }
    }

    byte[] read(String id, String type) throws IOException, Unsound {
        StoredObject object = read(id);
        if (!object.type().equals(type)) {
            throw new Unsound("object " + id + " is a " + object.type() + ", not a " + type);
        }
        return object.content();
    }

    /** Reads all files from front to back and returns the number of objects in them. */
    long audit(Watcher watcher) throws IOException {
        long count = 0;
        long total = packs.stream().mapToLong(PackFile::count).sum();
        long[] seen = {0};
        for (PackFile pack : List.copyOf(packs)) {
            try {
                count += pack.audit(this::read, () -> watcher.report("objects", ++seen[0], total));
            } catch (Unsound e) {
                findings.add(Finding.Kind.OBJECT, pack.name() + ".pack", e.detail());
            }
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(objects, "[0-9a-f][0-9a-f]")) {
            for (Path directory : directories) {
                count += auditLoose(directory);
            }
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        for (PackFile pack : packs) {
            pack.close();
        }
    }

    private int auditLoose(Path directory) throws IOException {
        int count = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String id = directory.getFileName().toString() + file.getFileName();
                if (!Hashes.isHex(id, 40)) {
                    continue; // a temporary file of native git
                }
                try {
                    if (!loose(Files.readAllBytes(file)).id().equals(id)) {
                        throw new Unsound("the object is damaged");
                    }
                } catch (Unsound e) {
                    findings.add(Finding.Kind.OBJECT, id, e.detail());
                }
                count++;
            }
        }
        return count;
    }

    private StoredObject read(String id) throws IOException, Unsound {
        if (!Hashes.isHex(id, 40)) {
            throw new Unsound("an object that is needed is not there");
        }
        StoredObject cached = cache.get(id);
        if (cached != null) {
            return cached;
        }
        Optional<StoredObject> found = find(id);
        if (found.isEmpty()) {
            openPacks();
            found = find(id);
        }
        if (found.isEmpty()) {
            throw new Unsound("object " + id + " is missing");
        }
        if (!found.get().id().equals(id)) {
            throw new Unsound("object " + id + " is damaged");
        }
        cache.put(id, found.get());
        return found.get();
    }

    private Optional<StoredObject> find(String id) throws IOException, Unsound {
        for (PackFile pack : packs) {
            Optional<StoredObject> found = pack.find(id, this::read);
            if (found.isPresent()) {
                return found;
            }
        }
        Path file = objects.resolve(id.substring(0, 2)).resolve(id.substring(2));
        return Files.exists(file) ? Optional.of(loose(Files.readAllBytes(file))) : Optional.empty();
    }

    private static StoredObject loose(byte[] deflated) throws Unsound {
        Inflater inflater = new Inflater();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            inflater.setInput(deflated);
            byte[] chunk = new byte[8192];
            while (!inflater.finished()) {
                int got = inflater.inflate(chunk);
                out.write(chunk, 0, got);
                boolean stuck = got == 0 && (inflater.needsInput() || inflater.needsDictionary());
                if (stuck || out.size() > LARGEST_OBJECT) {
                    throw new Unsound("the object is cut short");
                }
            }
            if (inflater.getRemaining() > 0) {
                throw new Unsound("something follows the object");
            }
        } catch (DataFormatException e) {
            throw new Unsound("the object does not inflate");
        } finally {
            inflater.end();
        }
        byte[] bytes = out.toByteArray();
        int zero = 0;
        while (zero < bytes.length && bytes[zero] != 0) {
            zero++;
        }
        String[] header = new String(bytes, 0, zero, US_ASCII).split(" ", -1);
        byte[] content = Arrays.copyOfRange(bytes, Math.min(zero + 1, bytes.length), bytes.length);
        if (header.length != 2 || !header[1].equals(Integer.toString(content.length))) {
            throw new Unsound("the object has no proper header");
        }
        return new StoredObject(header[0], content);
    }
}
