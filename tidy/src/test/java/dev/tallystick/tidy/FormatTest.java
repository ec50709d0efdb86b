package dev.tallystick.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every Java file is as the formatter writes it. {@code ./format} (or {@code -Dtidy.fix=true}) rewrites those that are not. */
class FormatTest {

    private static final boolean FIX = Boolean.getBoolean("tidy.fix");

    @Test
    void every_java_file_is_formatted() throws IOException, FormatterException {
        Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .build());
        List<Path> unformatted = new ArrayList<>();
        for (Path file : Sources.javaFiles()) {
            String written = Files.readString(file);
            String formatted = formatter.formatSourceAndFixImports(written);
            if (!written.equals(formatted)) {
                if (FIX) {
                    Files.writeString(file, formatted);
                } else {
                    unformatted.add(Sources.ROOT.relativize(file));
                }
            }
        }
        assertThat(unformatted).as("run ./format").isEmpty();
    }
}
