package dev.tallystick.sql;

import dev.tallystick.testkit.Gate;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A guarded primitive for tests: pays 1 into an account, once for each key, and answers with the new balance. An account that
 * another transaction has locked blocks the item.
 */
final class Deposit implements Primitive<Deposit.Item, Integer> {

    record Item(String key, String account) {}

    private static final String LOCK = "select id from account where id = any(?) order by id for update";
    private static final String LOCK_FREE = LOCK + " skip locked";

    // The key row keeps the answered balance, so that a repeat gets the same answer.
    private static final String DEPOSIT = """
            with item as (
                select *
                from unnest(?::text[], ?::text[]) as i (key, account)
            ),
            fresh as (
                insert into effect (key, amount)
                select i.key, a.balance + 1
                from item i
                join account a on a.id = i.account
                on conflict (key) do nothing
                returning key, amount
            ),
            paid as (
                update account a
                set balance = f.amount
                from fresh f
                join item i on i.key = f.key
                where a.id = i.account
            )
            select key, amount
            from fresh
            """;

    private static final String ANSWERS = "select key, amount from effect where key = any(?)";

    /** The number of items in each applied batch, for tests of batching. */
    final List<List<String>> batches = new CopyOnWriteArrayList<>();

    /** Whether each batch knew that it may have been applied before. */
    final List<Boolean> repeats = new CopyOnWriteArrayList<>();

    /** The gate where the batch of the item {@code first} waits, if any. */
    final Gate first = new Gate("the first batch");

    @Override
    public String name() {
        return "deposit";
    }

    @Override
    public int rank() {
        return 0;
    }

    @Override
    public Object orderKey(Item item) {
        return item.account();
    }

    @Override
    public long bytes(Item item) {
        return item.key().length();
    }

    @Override
    public List<@Nullable Integer> apply(Tx tx, List<Item> items) throws SQLException {
        batches.add(items.stream().map(Item::key).toList());
        repeats.add(tx.isRepeat());
        if (items.getFirst().key().equals("first")) {
            first.pass();
        }
        String[] accounts = items.stream().map(Item::account).toArray(String[]::new);
        Set<String> locked = new HashSet<>(
                tx.query(items.size() == 1 ? LOCK : LOCK_FREE, row -> row.getString("id"), (Object) accounts));
        List<Item> free =
                items.stream().filter(item -> locked.contains(item.account())).toList();
        String[] keys = free.stream().map(Item::key).toArray(String[]::new);
        tx.query(DEPOSIT, row -> true, keys, free.stream().map(Item::account).toArray(String[]::new));
        Map<String, Integer> answers = new HashMap<>();
        tx.query(ANSWERS, row -> answers.put(row.getString("key"), row.getInt("amount")), (Object) keys);
        List<@Nullable Integer> inOrder = new ArrayList<>(items.size());
        items.forEach(item -> inOrder.add(answers.get(item.key())));
        return inOrder;
    }
}
