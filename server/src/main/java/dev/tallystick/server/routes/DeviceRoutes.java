package dev.tallystick.server.routes;

import dev.tallystick.broker.member.Device;
import dev.tallystick.broker.member.DeviceKey;
import dev.tallystick.broker.member.DeviceOutcome;
import dev.tallystick.broker.member.Devices;
import dev.tallystick.broker.member.HostFingerprint;
import dev.tallystick.broker.member.IfCloned;
import dev.tallystick.broker.model.Member;
import dev.tallystick.core.Fingerprint;
import dev.tallystick.core.IdempotencyKey;
import dev.tallystick.core.ProblemCode;
import dev.tallystick.core.Role;
import dev.tallystick.core.api.DeviceApi.DeviceList;
import dev.tallystick.core.api.DeviceApi.DeviceView;
import dev.tallystick.core.api.DeviceApi.RegisterDevice;
import dev.tallystick.core.api.DeviceApi.RotateDevice;
import dev.tallystick.server.http.Answer;
import dev.tallystick.server.http.Call;
import dev.tallystick.server.http.Problem;
import dev.tallystick.server.http.Route;
import java.time.Duration;
import java.util.List;

/** The devices of a member: how a daemon identifies itself. The token gives rights, a device's key does not. */
public final class DeviceRoutes {

    private static final String PATH = "/v1/devices";

    private final Devices devices;
    private final BudgetGuard budgetGuard;

    public DeviceRoutes(Devices devices, BudgetGuard budgetGuard) {
        this.devices = devices;
        this.budgetGuard = budgetGuard;
    }

    public List<Route> routes() {
        return List.of(
                Route.put(PATH + "/{device}", RegisterDevice.class, this::register)
                        .summary("Register one of your devices by its public key.")
                        .roles(Role.MEMBER)
                        .answers(DeviceView.class)
                        .statuses(201, 200)
                        .refuses(ProblemCode.DEVICE_TAKEN, ProblemCode.DEVICE_CLONED, ProblemCode.OVER_LIMIT),
                Route.post(PATH + "/{device}/rotate", RotateDevice.class, this::rotate)
                        .summary("Replace the key of one of your devices; the replaced one counts for a while."
                                + " Asking again changes nothing.")
                        .roles(Role.MEMBER)
                        .answers(DeviceView.class)
                        .refuses(ProblemCode.NOT_FOUND, ProblemCode.DEVICE_TAKEN),
                Route.get(PATH, this::list)
                        .summary("Your devices, also those that were revoked; those of others only as an admin.")
                        .roles(Role.MEMBER)
                        .query("member", "whose devices; yours if missing")
                        .answers(DeviceList.class),
                Route.delete(PATH + "/{device}", this::revoke)
                        .summary("Revoke one of your devices; an admin may revoke any.")
                        .roles(Role.MEMBER)
                        .query("member", "whose device; yours if missing")
                        .refuses(ProblemCode.NOT_FOUND));
    }

    /** Putting the same device again costs nothing, at least the first few times. */
    private Answer register(Call call, RegisterDevice wanted) {
        DeviceKey key = Call.understood(() -> new DeviceKey(wanted.publicKey()));
        Fingerprint request = Fingerprint.of("device", call.name("device"), key.base64());
        return budgetGuard.spend(
                call,
                false,
                new IdempotencyKey("device:" + request.hex()),
                request,
                () -> registered(call, key, wanted));
    }

    private Answer registered(Call call, DeviceKey key, RegisterDevice wanted) {
        DeviceOutcome.Known known = known(Call.understood(() -> devices.register(
                call.member(),
                call.name("device"),
                key,
                wanted.hostFingerprint() == null ? null : new HostFingerprint(wanted.hostFingerprint()),
                wanted.ifCloned() == null ? IfCloned.REFUSE : IfCloned.parse(wanted.ifCloned()))));
        return Answer.of(known.before() ? 200 : 201, view(known.device()));
    }

    private Answer rotate(Call call, RotateDevice wanted) {
        DeviceOutcome.Known known = known(Call.understood(() -> devices.rotate(
                call.member(),
                call.name("device"),
                new DeviceKey(wanted.replaces()),
                new DeviceKey(wanted.publicKey()),
                wanted.graceSeconds() == null ? Devices.USUAL_GRACE : Duration.ofSeconds(wanted.graceSeconds()))));
        return Answer.ok(view(known.device()));
    }

    private static DeviceOutcome.Known known(DeviceOutcome outcome) {
        return switch (outcome) {
            case DeviceOutcome.Known known -> known;
            case DeviceOutcome.Taken taken -> throw new Problem(ProblemCode.DEVICE_TAKEN, taken.why());
            case DeviceOutcome.Cloned cloned ->
                throw new Problem(
                        ProblemCode.DEVICE_CLONED,
                        "this device was registered on another host: give the copy its own name and key,"
                                + " or register it with if_cloned allow if the device has moved");
            case DeviceOutcome.NoSuchDevice none -> throw Call.notFound();
        };
    }

    private Answer list(Call call) {
        return Answer.ok(new DeviceList(devices.list(call.member().mesh(), owner(call)).stream()
                .map(DeviceRoutes::view)
                .toList()));
    }

    private Answer revoke(Call call) {
        if (!devices.revoke(call.member().mesh(), owner(call), call.name("device"))) {
            throw Call.notFound();
        }
        return Answer.nothing();
    }

    private static String owner(Call call) {
        Member caller = call.member();
        String owner = call.parameter("member");
        if (owner != null && !owner.equals(caller.name()) && !caller.may(Role.ADMIN)) {
            throw new Problem(ProblemCode.FORBIDDEN, "only an admin looks after the devices of others");
        }
        return owner == null ? caller.name() : owner;
    }

    private static DeviceView view(Device device) {
        Device.PreviousKey previous = device.previous();
        HostFingerprint host = device.host();
        return new DeviceView(
                device.name(),
                device.member(),
                device.key().base64(),
                previous == null ? null : previous.key().base64(),
                previous == null ? null : previous.until(),
                host == null ? null : host.hex(),
                device.registered(),
                device.rotated(),
                device.revoked());
    }
}
