package dev.tallystick.engine.record;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds in SQL a statement that ends the transaction, also one behind others. Reads quotes, dollar quotes and comments as Postgres
 * does with {@code standard_conforming_strings} on.
 */
final class TransactionEnds {

    /** {@code rollback to} a savepoint ends nothing. */
    private static final Pattern ENDING = Pattern.compile(
            "(?:commit|end|abort|prepare\\s+transaction" + "|rollback(?!\\s+(?:(?:work|transaction)\\s+)?to\\b))\\b");

    /** The body of an SQL function: statements up to an {@code end} of its own. */
    private static final Pattern ATOMIC = Pattern.compile("create\\b[^;]*\\bbegin\\s+atomic\\b");

    private static final Pattern DOLLAR_QUOTE = Pattern.compile("\\$(?:[\\p{L}_][\\p{L}\\p{N}_]*)?\\$");

    private final String sql;
    private final StringBuilder bare = new StringBuilder();
    private int at;

    private TransactionEnds(String sql) {
        this.sql = sql;
    }

    /** Whether the SQL, of one statement or several, contains one that ends the transaction. */
    static boolean isIn(String sql) {
        boolean atomic = false;
        for (String statement : new TransactionEnds(sql).bare().split(";")) {
            String text = statement.strip();
            boolean ends = ENDING.matcher(text).lookingAt();
            if (atomic && ends && text.startsWith("end")) {
                atomic = false;
            } else if (ends) {
                return true;
            }
            atomic |= ATOMIC.matcher(text).lookingAt();
        }
        return false;
    }

    /** The SQL in lower case, with a blank for each comment and a {@code '} for whatever is quoted. */
    private String bare() {
        while (at < sql.length()) {
            char next = sql.charAt(at);
            if (sql.startsWith("--", at)) {
                skip(' ', lineEnd());
            } else if (sql.startsWith("/*", at)) {
                skip(' ', commentEnd());
            } else if (next == '\'') {
                skip('\'', quoteEnd('\'', isEscaping()));
            } else if (next == '"') {
                skip('\'', quoteEnd('"', false));
            } else if (next == '$' && !isInWord()) {
                skip('\'', dollarQuoteEnd());
            } else {
                skip(next, at + 1);
            }
        }
        return bare.toString().toLowerCase(Locale.ROOT);
    }

    private void skip(char instead, int end) {
        bare.append(instead);
        at = end;
    }

    private int lineEnd() {
        int end = at;
        while (end < sql.length() && sql.charAt(end) != '\n' && sql.charAt(end) != '\r') {
            end++;
        }
        return end;
    }

    /** Comments nest. */
    private int commentEnd() {
        int depth = 0;
        int end = at;
        do {
            if (sql.startsWith("/*", end)) {
                depth++;
                end += 2;
            } else if (sql.startsWith("*/", end)) {
                depth--;
                end += 2;
            } else {
                end++;
            }
        } while (depth > 0 && end < sql.length());
        return end;
    }

    private int quoteEnd(char quote, boolean escaping) {
        int end = at + 1;
        while (end < sql.length()) {
            char next = sql.charAt(end);
            boolean isDoubled = next == quote && end + 1 < sql.length() && sql.charAt(end + 1) == quote;
            if (next == quote && !isDoubled) {
                return end + 1;
            }
            end += isDoubled || (escaping && next == '\\') ? 2 : 1;
        }
        return sql.length();
    }

    /** Whether the quote here is that of {@code E'…'}, in which a backslash hides what follows. */
    private boolean isEscaping() {
        boolean isAfterE = at > 0 && Character.toLowerCase(sql.charAt(at - 1)) == 'e';
        return isAfterE && (at == 1 || !isOfWord(sql.charAt(at - 2)));
    }

    private int dollarQuoteEnd() {
        Matcher opening = DOLLAR_QUOTE.matcher(sql).region(at, sql.length());
        if (!opening.lookingAt()) {
            return at + 1;
        }
        int closing = sql.indexOf(opening.group(), opening.end());
        return closing < 0 ? sql.length() : closing + opening.group().length();
    }

    private boolean isInWord() {
        return at > 0 && isOfWord(sql.charAt(at - 1));
    }

    private static boolean isOfWord(char c) {
        return Character.isLetterOrDigit(c) || c == '_' || c == '$';
    }
}
