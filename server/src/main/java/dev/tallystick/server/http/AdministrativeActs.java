package dev.tallystick.server.http;

import dev.tallystick.core.Json;
import dev.tallystick.core.Role;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes admin actions to the log {@code tally.audit}: one line before the action, so that none is missing after a crash, and
 * one with its outcome. Such requests contain no secrets; their answers may, and are left out.
 */
final class AdministrativeActs {

    private static final Logger LOG = LoggerFactory.getLogger("tally.audit");

    /** The maximum length of a logged request. */
    private static final int LONGEST_BODY = 500;

    private static final Set<Role> ADMINS = Set.of(Role.ADMIN);

    private static boolean include(Route route) {
        boolean forAdmins = switch (route.access()) {
            case Access.Everybody everybody -> false;
            case Access.Members members -> members.roles().equals(ADMINS);
            case Access.Operators operators -> operators.role() == Role.ADMIN;
        };
        return forAdmins && !route.method().equals("GET");
    }

    /** What a route does. */
    interface Act {
        Answer answer() throws InterruptedException;
    }

    static Answer recorded(Route route, Call call, Act act) throws InterruptedException {
        if (!include(route)) {
            return act.answer();
        }
        LOG.info("act={} names={} by={} body={}", route, names(call), call.member(), body(call));
        String outcome = "failed";
        try {
            Answer answer = act.answer();
            outcome = "done";
            return answer;
        } catch (Problem refused) {
            outcome = refused.code().word();
            throw refused;
        } finally {
            LOG.info("act={} names={} by={} outcome={}", route, names(call), call.member(), outcome);
        }
    }

    /** Quoted, so that no name or body can look like another line. */
    private static String names(Call call) {
        return Json.of(call.names().toString()).canonical();
    }

    private static String body(Call call) {
        String text = new String(call.body(), StandardCharsets.UTF_8);
        return Json.of(text.substring(0, Math.min(text.length(), LONGEST_BODY))).canonical();
    }

    private AdministrativeActs() {}
}
