package dev.tallystick.exchange.books;

import java.util.List;

/**
 * What a bundle proves.
 *
 * @param proven the statements whose signatures are good, in the order of the protocol
 * @param problems why the others prove nothing
 */
public record Evidence(List<Proof> proven, List<String> problems) {

    /** One statement of the protocol. */
    public enum Proof {
        /** The producer asked. */
        POSTING("n posted this content to p under this id"),
        /** The consumer recorded it. */
        RECEIPT("p recorded the posting"),
        /** The consumer decided. */
        RESULT("p decided this outcome"),
        /** The producer recorded the decision. */
        ACKNOWLEDGEMENT("n recorded p's decision");

        private final String says;

        Proof(String says) {
            this.says = says;
        }

        public String says() {
            return says;
        }
    }

    public Evidence {
        proven = List.copyOf(proven);
        problems = List.copyOf(problems);
    }

    /** Whether everything that the bundle claims is proven. */
    public boolean isSound() {
        return problems.isEmpty() && !proven.isEmpty();
    }
}
