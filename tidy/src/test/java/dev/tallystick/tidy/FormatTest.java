package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every Java file is as the formatter writes it. {@code ./format} rewrites those that are not. */
class FormatTest {

    private static final boolean FIX = Boolean.getBoolean("tidy.fix");

    private final Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
            .style(JavaFormatterOptions.Style.PALANTIR)
            .build());

    @Test
    void every_java_file_is_formatted() throws IOException {
        List<SourceFile> unformatted = new ArrayList<>();
        for (SourceFile file : Project.load().javaFiles().toList()) {
            String formatted = formatted(file);
            if (!file.text().equals(formatted)) {
                if (FIX) {
                    Files.writeString(Project.ROOT.resolve(file.path()), formatted);
                } else {
                    unformatted.add(file);
                }
            }
        }
        assertThat(unformatted).as("run ./format").isEmpty();
    }

    @Test
    void an_unformatted_file_is_noticed() {
        SourceFile unformatted = new SourceFile("Planted.java", "class   Planted{int x ;}\n");

        assertThat(formatted(unformatted)).isNotEqualTo(unformatted.text());
    }

    private String formatted(SourceFile file) {
        try {
            return formatter.formatSourceAndFixImports(file.text());
        } catch (FormatterException e) {
            throw new AssertionError("the formatter cannot read " + file, e);
        }
    }
}
