package dev.tallystick.broker.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPolicyTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "10.1.2.3",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "169.254.169.254",
                "0.0.0.0",
                "100.64.0.1",
                "192.0.2.1",
                "198.18.0.1",
                "224.0.0.1",
                "255.255.255.255",
                "::1",
                "::",
                "fe80::1",
                "fc00::1",
                "fd12::1",
                "ff02::1",
                "::ffff:10.0.0.1",
                "2002:a00:1::1",
                "2001:0:1::1",
                "2001:db8::1",
                "64:ff9b::a00:1"
            })
    void addresses_that_are_not_public_are_known(String address) throws UnknownHostException {
        assertThat(AddressPolicy.PUBLIC.allows(InetAddress.getByName(address))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "2606:4700:4700::1111"})
    void public_addresses_are_known(String address) throws UnknownHostException {
        assertThat(AddressPolicy.PUBLIC.allows(InetAddress.getByName(address))).isTrue();
    }
}
