package dev.tallystick.engine.graph;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** A value in a YAML file that knows its position. */
sealed interface YamlValue {

    /** The file, line and column, counted from 1. */
    String position();

    record Text(String position, String text) implements YamlValue {}

    record Listing(String position, List<YamlValue> values) implements YamlValue {}

    record Mapping(String position, Map<String, YamlValue> values) implements YamlValue {}

    int MAX_CHARACTERS = 1 << 20;
    int MAX_DEPTH = 20;

    /** Reads one document. Rejects aliases: a graph does not need them, and a few of them can expand into an endless file. */
    static YamlValue parse(String file, String yaml) {
        LoadSettings settings = LoadSettings.builder()
                .setLabel(file)
                .setMaxAliasesForCollections(0)
                .setCodePointLimit(MAX_CHARACTERS)
                .build();
        try {
            demandShallow(file, new Parse(settings).parseString(yaml));
            Optional<Node> node = new Compose(settings).composeString(yaml);
            return node.map(root -> value(file, root)).orElseThrow(() -> refused(file, "it is empty"));
        } catch (YamlEngineException e) {
            throw refused(file, "it is no YAML: " + e.getMessage());
        }
    }

    /** Nested values are read recursively, on the stack. */
    private static void demandShallow(String file, Iterable<Event> events) {
        int depth = 0;
        for (Event event : events) {
            depth += event instanceof CollectionStartEvent ? 1 : event instanceof CollectionEndEvent ? -1 : 0;
            if (depth > MAX_DEPTH) {
                throw refused(
                        file,
                        "its values lie inside each other deeper than the " + MAX_DEPTH
                                + " that are possible: a graph needs 5");
            }
        }
    }

    private static YamlValue value(String file, Node node) {
        String position = position(file, node);
        if (node.getAnchor().isPresent()) {
            throw refused(file, position + ": anchors and aliases are not understood here; write the value out");
        }
        return switch (node) {
            case ScalarNode scalar -> new Text(position, scalar.getValue());
            case SequenceNode sequence -> {
                List<YamlValue> values = new ArrayList<>();
                sequence.getValue().forEach(each -> values.add(value(file, each)));
                yield new Listing(position, values);
            }
            case MappingNode mapping -> {
                Map<String, YamlValue> values = new LinkedHashMap<>();
                for (NodeTuple each : mapping.getValue()) {
                    put(file, values, each);
                }
                yield new Mapping(position, values);
            }
            default -> throw refused(file, position + ": a " + node.getNodeType() + " is not understood here");
        };
    }

    private static void put(String file, Map<String, YamlValue> values, NodeTuple entry) {
        String position = position(file, entry.getKeyNode());
        if (!(entry.getKeyNode() instanceof ScalarNode key)) {
            throw refused(file, position + ": the name of a field is a plain value");
        }
        YamlValue value = value(file, entry.getValueNode());
        YamlValue placed = switch (value) {
            case Text text -> new Text(position, text.text());
            case Listing listing -> new Listing(position, listing.values());
            case Mapping mapping -> new Mapping(position, mapping.values());
        };
        if (values.putIfAbsent(key.getValue(), placed) != null) {
            throw refused(file, position + ": '" + key.getValue() + "' is there twice: rename or remove one of them");
        }
    }

    private static String position(String file, Node node) {
        Optional<Mark> mark = node.getStartMark();
        return file
                + mark.map(at -> ":" + (at.getLine() + 1) + ":" + (at.getColumn() + 1))
                        .orElse("");
    }

    private static InvalidGraphException refused(String file, String problem) {
        return new InvalidGraphException(file, List.of(problem));
    }
}
