package dev.tallystick.tidy;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Server, client and commands speak one API. That every route has its method in the client is checked where the routes are, by
 * {@code ClientCoverageTest}.
 */
class OneApiTest {

    private static final CompiledModules MODULES = CompiledModules.below(Project.ROOT);

    private static final String PARTNER = "the exchange of a partner asks, and its module reads the answer";

    /** Records that the client never names. */
    private static final Map<String, String> FOR_OTHERS = Map.of(
            "SystemApi$Health", "a load balancer asks",
            "PartnerApi$Packet", PARTNER,
            "PartnerApi$PacketTaken", PARTNER,
            "PartnerApi$Roots", PARTNER,
            "PartnerApi$PeriodHash", PARTNER,
            "PartnerApi$NodeList", PARTNER,
            "PartnerApi$NodeHash", PARTNER,
            "PartnerApi$WantedNodes", PARTNER,
            "PartnerApi$EntryList", PARTNER,
            "PartnerApi$EntryView", PARTNER);

    /** Records that the module exchange makes; the server passes them on without naming them. */
    private static final Set<String> MADE_BY_EXCHANGE =
            Set.of("ExchangeApi$PostingView", "ExchangeApi$IssueView", "ExchangeApi$DifferenceView");

    private static final String FOR_PROGRAMS = "only a program has a use for it";
    private static final String NOT_YET = "there is no such command yet";

    /** Calls of the client that no command makes. */
    private static final Map<String, String> WITHOUT_COMMAND = Map.ofEntries(
            entry("Deliveries.acknowledge", FOR_PROGRAMS),
            entry("Deliveries.extend", FOR_PROGRAMS),
            entry("Deliveries.release", FOR_PROGRAMS),
            entry("Deliveries.take", FOR_PROGRAMS),
            entry("Jobs.follow", "tally job tail reads the same events page by page"),
            entry("Keys.once", "it runs the caller's code"),
            entry("Members.find", "tally member ls shows all"),
            entry("Messages.find", NOT_YET),
            entry("Messages.follow", NOT_YET),
            entry("Messages.history", NOT_YET),
            entry("Messages.mentions", NOT_YET),
            entry("Messages.search", NOT_YET),
            entry("Messages.sendAll", "tally send sends one message"),
            entry("Queues.create", NOT_YET),
            entry("Queues.delete", NOT_YET),
            entry("Queues.list", NOT_YET),
            entry("TallyClient.deliveries", FOR_PROGRAMS),
            entry("TallyClient.features", FOR_PROGRAMS),
            entry("TallyClient.queues", NOT_YET),
            entry("TallyClient.withOpenTelemetry", FOR_PROGRAMS),
            entry("Tokens.rotate", NOT_YET),
            entry("Topics.subscribers", NOT_YET),
            entry("Topics.unsubscribe", NOT_YET),
            entry("Webhooks.delete", NOT_YET),
            entry("Webhooks.list", NOT_YET),
            entry("Webhooks.register", NOT_YET));

    @Test
    void every_record_of_the_api_is_used_by_server_and_client() {
        Set<String> records = MODULES.membersIn("dev.tallystick.core.api");
        Set<String> both = new TreeSet<>(records);
        both.removeAll(FOR_OTHERS.keySet());
        Set<String> made = new TreeSet<>(records);
        made.removeAll(MADE_BY_EXCHANGE);

        assertThat(records).hasSizeGreaterThan(70).containsAll(FOR_OTHERS.keySet());
        assertThat(MODULES.typesUsedBy(Module.SERVER)).containsAll(made);
        assertThat(MODULES.typesUsedBy(Module.EXCHANGE)).containsAll(MADE_BY_EXCHANGE);
        assertThat(MODULES.typesUsedBy(Module.CLIENT))
                .containsAll(both)
                .doesNotContainAnyElementsOf(FOR_OTHERS.keySet());
    }

    @Test
    void every_call_of_the_client_has_a_command_or_a_reason_for_having_none() {
        Set<String> calls = MODULES.methodsThatNeed(Module.CLIENT, "Transport");
        Set<String> wanted = new TreeSet<>(calls);
        wanted.removeAll(WITHOUT_COMMAND.keySet());

        assertThat(calls).hasSizeGreaterThan(70).containsAll(WITHOUT_COMMAND.keySet());
        assertThat(MODULES.methodsCalledBy(Module.CLI))
                .containsAll(wanted)
                .doesNotContainAnyElementsOf(WITHOUT_COMMAND.keySet());
    }
}
