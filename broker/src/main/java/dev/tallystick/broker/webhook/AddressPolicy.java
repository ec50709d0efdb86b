package dev.tallystick.broker.webhook;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;

/** Which addresses a webhook may call. */
@FunctionalInterface
public interface AddressPolicy {

    boolean allows(InetAddress address);

    /**
     * Only addresses on the public Internet. Webhooks are called from inside our own network: without this check, anyone who
     * may register a webhook could make us fetch secrets from internal services.
     */
    AddressPolicy PUBLIC = AddressPolicy::isPublic;

    /** For operators who trust everyone that may register a webhook with their whole network. */
    AddressPolicy ANY = address -> true;

    private static boolean isPublic(InetAddress address) {
        if (address.isAnyLocalAddress()
                || address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isSiteLocalAddress()
                || address.isMulticastAddress()) {
            return false;
        }
        return switch (address) {
            case Inet4Address v4 -> isPublic(v4.getAddress());
            case Inet6Address v6 -> isPublicV6(v6.getAddress());
            default -> false;
        };
    }

    /** Without "this network", shared carrier space, protocol assignments, documentation, benchmark and reserved ranges. */
    private static boolean isPublic(byte[] v4) {
        int first = v4[0] & 0xff;
        int second = v4[1] & 0xff;
        int third = v4[2] & 0xff;
        return switch (first) {
            case 0, 10, 127 -> false;
            case 100 -> second < 64 || second > 127;
            case 169 -> second != 254;
            case 172 -> second < 16 || second > 31;
            case 192 -> second != 168 && !(second == 0 && (third == 0 || third == 2)) && !(second == 88 && third == 99);
            case 198 -> second != 18 && second != 19 && !(second == 51 && third == 100);
            case 203 -> !(second == 0 && third == 113);
            default -> first < 224;
        };
    }

    /** Only global unicast, without ranges that merely wrap IPv4 addresses. */
    private static boolean isPublicV6(byte[] v6) {
        boolean global = (v6[0] & 0xe0) == 0x20;
        boolean sixToFour = v6[0] == 0x20 && v6[1] == 0x02;
        boolean teredo = v6[0] == 0x20 && v6[1] == 0x01 && v6[2] == 0 && v6[3] == 0;
        boolean documentation = v6[0] == 0x20 && v6[1] == 0x01 && v6[2] == 0x0d && (v6[3] & 0xff) == 0xb8;
        return global && !sixToFour && !teredo && !documentation;
    }
}
