package dev.tallystick.exchange.partner;

import dev.tallystick.core.Json;
import dev.tallystick.exchange.message.Participant;
import dev.tallystick.exchange.signing.PublicKey;
import dev.tallystick.sql.Tx;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The keys of participants. One method is one statement; the caller owns the transaction. */
final class PartnerStore {

    private static final String ADD = """
        insert into tally.exchange_partner (participant, key_id, public_key, rotation)
        values (?, ?, ?, ?)
        on conflict (participant, key_id) do nothing
        """;

    private static final String REVOKE = """
        update tally.exchange_partner
        set revoked_at = now()
        where participant = ? and key_id = ? and revoked_at is null
        """;

    private static final String READ = """
        select participant, public_key, rotation, revoked_at is not null as revoked
        from tally.exchange_partner
        order by participant, added_at, key_id
        """;

    /** @param rotation how the key became the participant's; null if an operator said so */
    record Row(
            Participant participant,
            PublicKey key,
            @Nullable KeyRotation rotation,
            boolean revoked) {}

    int add(Tx tx, Participant participant, PublicKey key, @Nullable KeyRotation rotation) throws SQLException {
        return tx.update(
                ADD,
                participant.name(),
                key.id(),
                key.toString(),
                rotation == null ? null : rotation.toJson().canonical());
    }

    int revoke(Tx tx, Participant participant, String keyId) throws SQLException {
        return tx.update(REVOKE, participant.name(), keyId);
    }

    List<Row> read(Tx tx) throws SQLException {
        return tx.query(READ, row -> {
            String rotation = row.getString("rotation");
            return new Row(
                    new Participant(row.getString("participant")),
                    PublicKey.parse(row.getString("public_key")),
                    rotation == null ? null : KeyRotation.parse(Json.parse(rotation)),
                    row.getBoolean("revoked"));
        });
    }
}
