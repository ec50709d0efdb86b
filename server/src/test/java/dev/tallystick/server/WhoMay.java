package dev.tallystick.server;

import dev.tallystick.core.Role;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Who may use which route, written down by hand, so that a slip in the table of routes is no slip here. Admins may do whatever
 * some role may; an operator is an admin of the mesh {@code default}.
 *
 * @param words roles, or {@code everybody}, or {@code operator}
 */
public record WhoMay(Set<String> words) {

    public static final Map<String, WhoMay> BY_ROUTE = """
            GET    /health/live                                     everybody
            GET    /health/ready                                    everybody
            GET    /openapi.json                                    everybody
            GET    /v1/features                                     everybody

            GET    /v1/me                                           admin member worker observer partner

            POST   /v1/jobs                                         member
            GET    /v1/jobs                                         member observer
            GET    /v1/jobs/{id}                                    member observer
            GET    /v1/jobs/{id}/result                             member observer
            GET    /v1/jobs/{id}/why                                member observer
            GET    /v1/jobs/{id}/receipt                            member observer
            GET    /v1/jobs/{id}/events                             member observer
            GET    /v1/jobs/{id}/activities                         member observer
            POST   /v1/jobs/{id}/signals/{name}                     member
            POST   /v1/jobs/{id}/cancel                             member
            POST   /v1/jobs/{id}/rerun                              member
            POST   /v1/jobs/{id}/fork                               member
            POST   /v1/jobs/{id}/erase                              admin
            GET    /v1/deadletters                                  member observer
            GET    /v1/deadletters/{job}                            member observer
            POST   /v1/deadletters/{job}/redrive                    member
            DELETE /v1/deadletters/{job}                            member
            PUT    /v1/schedules/{name}                             member
            GET    /v1/schedules                                    member observer
            GET    /v1/schedules/{name}                             member observer
            DELETE /v1/schedules/{name}                             member
            POST   /v1/schedules/{name}/pause                       member
            POST   /v1/schedules/{name}/resume                      member
            POST   /v1/schedules/{name}/trigger                     member
            GET    /v1/tasks                                        member observer
            GET    /v1/tasks/{task}                                 member observer
            POST   /v1/tasks/{task}/claim                           member
            POST   /v1/tasks/{task}/release                         member
            POST   /v1/tasks/{task}/escalate                        member
            POST   /v1/tasks/{task}/resolve                         member
            GET    /v1/workflows                                    member observer
            GET    /v1/workflows/{name}/{version}                   member observer
            PUT    /v1/workflows/{name}/{version}                   operator
            DELETE /v1/workflows/{name}/{version}                   operator

            POST   /v1/keys/{key}/reserve                           member
            POST   /v1/keys/{key}/commit                            member
            POST   /v1/keys/{key}/reject                            member
            POST   /v1/keys/{key}/release                           member
            GET    /v1/keys                                         admin observer
            GET    /v1/keys/{key}                                   member observer
            GET    /v1/keys/{key}/proof                             member
            POST   /v1/keys/{key}/resolve                           admin

            POST   /v1/messages                                     member
            POST   /v1/messages/batch                               member
            GET    /v1/messages/{id}                                member observer
            GET    /v1/history                                      member observer
            GET    /v1/history/stream                               member observer
            GET    /v1/mentions                                     member
            GET    /v1/search                                       observer
            POST   /v1/deliveries/lease                             member
            POST   /v1/deliveries/ack                               member
            POST   /v1/deliveries/extend                            member
            POST   /v1/deliveries/release                           member
            POST   /v1/webhooks                                     member
            GET    /v1/webhooks                                     member
            DELETE /v1/webhooks/{id}                                member
            GET    /v1/webhooks/dead                                member observer
            POST   /v1/webhooks/{id}/messages/{message}/redrive     member

            GET    /v1/topics                                       member observer
            PUT    /v1/topics/{name}                                admin
            DELETE /v1/topics/{name}                                admin
            GET    /v1/topics/{name}/subscribers                    member observer
            PUT    /v1/topics/{name}/subscribers/{member}           member
            DELETE /v1/topics/{name}/subscribers/{member}           member
            GET    /v1/queues                                       member observer
            PUT    /v1/queues/{name}                                admin
            DELETE /v1/queues/{name}                                admin

            GET    /v1/devices                                      member
            PUT    /v1/devices/{device}                             member
            POST   /v1/devices/{device}/rotate                      member
            DELETE /v1/devices/{device}                             member

            GET    /v1/members                                      admin observer
            GET    /v1/members/{name}                               admin observer
            PUT    /v1/members/{name}                               admin
            DELETE /v1/members/{name}                               admin
            GET    /v1/members/{name}/tokens                        admin
            POST   /v1/members/{name}/tokens                        admin
            POST   /v1/tokens/{id}/rotate                           admin
            DELETE /v1/tokens/{id}                                  admin

            POST   /v1/workers/{topic}/claim                        worker
            POST   /v1/workers/{topic}/heartbeat                    worker
            POST   /v1/workers/{topic}/result                       worker

            POST   /v1/exchange/{topic}/{participant}               operator partner
            GET    /v1/exchange/books/{participant}                 operator partner
            GET    /v1/exchange/books/{participant}/{books}/{day}   operator partner
            GET    /v1/exchange/books/{participant}/{books}/{day}/{node}     operator partner
            POST   /v1/exchange/books/{participant}/{books}/{day}/entries    operator partner
            GET    /v1/exchange/postings                            operator observer
            GET    /v1/exchange/postings/{posting}                  operator observer
            POST   /v1/exchange/postings/{posting}/replay           operator
            GET    /v1/exchange/postings/{posting}/bundle           operator observer
            GET    /v1/exchange/issues                              operator observer
            POST   /v1/exchange/partners/{participant}/reconcile    operator
            GET    /metrics                                         operator observer
            GET    /v1/orphans                                      operator
            GET    /v1/meshes                                       operator
            PUT    /v1/meshes/{name}                                operator
            POST   /v1/meshes/{name}/admin-token                    operator
            """.lines()
            .filter(line -> !line.isBlank())
            .map(line -> line.split("\\s+"))
            .collect(Collectors.toMap(line -> line[0] + " " + line[1], WhoMay::of));

    private static WhoMay of(String[] line) {
        return new WhoMay(Arrays.stream(line).skip(2).collect(Collectors.toSet()));
    }

    public boolean isEverybody() {
        return words.contains("everybody");
    }

    public boolean isOperator() {
        return words.contains("operator");
    }

    /** The roles that grant access, in the mesh {@code default}. */
    public Set<Role> roles() {
        Map<String, Role> byWord =
                EnumSet.allOf(Role.class).stream().collect(Collectors.toMap(Role::word, Function.identity()));
        Set<Role> roles = EnumSet.of(Role.ADMIN);
        words.stream().filter(byWord::containsKey).map(byWord::get).forEach(roles::add);
        return roles;
    }
}
