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
    void a_text_block_stays_as_written() {
        SourceFile written = new SourceFile("Planted.java", """
                class Planted {
                    String sql = \"""
                            select 1
                              from job
                            \""";
                }
                """);

        assertThat(formatted(written)).isEqualTo(written.text());
    }

    @Test
    void an_unformatted_file_is_noticed() {
        SourceFile unformatted = new SourceFile("Planted.java", "class   Planted{int x ;}\n");

        assertThat(formatted(unformatted)).isNotEqualTo(unformatted.text());
    }

    // Not the formatter's all-in-one method, which also shifts text blocks: SQL stays where its author has aligned it.
    private String formatted(SourceFile file) {
        try {
            return formatter.formatSource(formatter.fixImports(file.text()));
        } catch (FormatterException e) {
            throw new AssertionError("the formatter cannot read " + file, e);
        }
    }
}
