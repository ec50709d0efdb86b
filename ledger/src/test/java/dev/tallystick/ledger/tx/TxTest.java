package dev.tallystick.ledger.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.tallystick.core.Ulid;
import dev.tallystick.ledger.git.DamagedObjectException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TxTest {

    private static final Ulid ID = Ulid.parse("01JCQ8Z4T0ABCDEFGHJKMNPQRS");
    private static final TxHash PARENT = TxHash.of(new byte[] {1});

    @Test
    void the_protobuf_library_writes_the_same_bytes() throws Exception {
        Random random = new Random(7);
        for (int i = 0; i < 500; i++) {
            Tx tx = random(random);
            assertThat(protobuf(tx).toByteArray()).isEqualTo(tx.bytes());
        }
    }

    @Test
    void a_written_transaction_is_read_back() throws Exception {
        Random random = new Random(8);
        for (int i = 0; i < 500; i++) {
            Tx tx = random(random);
            assertThat(Tx.parse(tx.bytes())).isEqualTo(tx);
        }
    }

    @Test
    void a_transaction_has_one_form_only() throws Exception {
        byte[] bytes = put("{}").bytes();
        byte[] withUnknownField = java.util.Arrays.copyOf(bytes, bytes.length + 2);
        withUnknownField[bytes.length] = 12 << 3;
        withUnknownField[bytes.length + 1] = 1;
        assertThatThrownBy(() -> Tx.parse(withUnknownField)).isInstanceOf(DamagedObjectException.class);

        byte[] withDefault = java.util.Arrays.copyOf(bytes, bytes.length + 2);
        withDefault[bytes.length] = 9 << 3;
        assertThatThrownBy(() -> Tx.parse(withDefault)).isInstanceOf(DamagedObjectException.class);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> Tx.parse(cut)).isInstanceOf(DamagedObjectException.class);
        }
    }

    @Test
    void the_reason_why_bytes_are_no_transaction_is_given() {
        byte[] bytes = put("{}").bytes();

        assertThatThrownBy(() -> Tx.parse(with(bytes, 1, 0))).hasMessageContaining("has no field 0");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 12 << 3, 1))).hasMessageContaining("has no field 12");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 9 << 3 | 1, 1))).hasMessageContaining("has the wrong type");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 11 << 3 | 2, 2, 0))).hasMessageContaining("within a field");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 11 << 3 | 2, 0))).hasMessageContaining("canonical form");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 9 << 3, 0x80))).hasMessageContaining("within a number");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 9 << 3, 0x80, 0x80, 0x80, 0x80, 8)))
                .hasMessageContaining("invalid schema version 2147483648");
        assertThatThrownBy(() -> Tx.parse(with(bytes, 9 << 3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)))
                .hasMessageContaining("invalid schema version -9223372036854775808");
        assertThatThrownBy(() ->
                        Tx.parse(with(bytes, 11 << 3 | 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1)))
                .hasMessageContaining("within a field");
    }

    private static byte[] with(byte[] bytes, int... more) {
        byte[] longer = java.util.Arrays.copyOf(bytes, bytes.length + more.length);
        for (int i = 0; i < more.length; i++) {
            longer[bytes.length + i] = (byte) more[i];
        }
        return longer;
    }

    @Test
    void the_largest_schema_version_is_read_back() throws Exception {
        Tx tx = new Tx(
                ID,
                Long.MAX_VALUE,
                StreamId.of("orders", "o-1"),
                Op.PUT,
                "{}",
                "",
                TxHash.NONE,
                Integer.MAX_VALUE,
                TxHash.NONE,
                "");

        assertThat(Tx.parse(tx.bytes())).isEqualTo(tx);
    }

    @Test
    void a_transaction_has_the_parts_of_its_op() {
        StreamId stream = StreamId.of("orders", "o-1");
        assertThatThrownBy(() -> new Tx(ID, 1, stream, Op.DELETE, "{}", "", PARENT, 0, TxHash.NONE, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Tx(ID, 1, stream, Op.PATCH, "", "[]", TxHash.NONE, 0, TxHash.NONE, ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Tx(ID, 1, stream, Op.PUT, "{}", "", PARENT, 0, PARENT, ""))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Tx put(String body) {
        return new Tx(
                ID,
                1_763_000_000_000_000_000L,
                StreamId.of("orders", "o-1"),
                Op.PUT,
                body,
                "",
                TxHash.NONE,
                0,
                TxHash.NONE,
                "");
    }

    private static Tx random(Random random) {
        Op op = List.of(Op.PUT, Op.PATCH, Op.DELETE, Op.MERGE).get(random.nextInt(4));
        String snapshot =
                op == Op.PUT || (op != Op.DELETE && random.nextBoolean()) ? "{\"é\":" + random.nextInt() + "}" : "";
        return new Tx(
                new Ulid(random.nextLong(), random.nextLong()),
                random.nextLong() >>> (1 + random.nextInt(62)),
                StreamId.of("orders", "doc-" + random.nextInt() + "-ü"),
                op,
                snapshot,
                op == Op.PATCH ? "[" + " ".repeat(random.nextInt(300)) + "]" : "",
                op == Op.PUT && random.nextBoolean() ? TxHash.NONE : PARENT,
                random.nextInt(3),
                op == Op.MERGE ? TxHash.of(new byte[] {2}) : TxHash.NONE,
                op == Op.MERGE && random.nextBoolean() ? "[" + random.nextInt() + "]" : "");
    }

    private static DynamicMessage protobuf(Tx tx) throws Exception {
        Descriptor type = descriptor();
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        message.setField(type.findFieldByNumber(1), tx.txId().toString());
        message.setField(type.findFieldByNumber(2), tx.timestamp());
        message.setField(type.findFieldByNumber(3), tx.stream().collection().name());
        message.setField(type.findFieldByNumber(4), tx.stream().document());
        message.setField(type.findFieldByNumber(5), tx.op().number());
        message.setField(type.findFieldByNumber(6), ByteString.copyFromUtf8(tx.snapshot()));
        message.setField(type.findFieldByNumber(7), ByteString.copyFromUtf8(tx.patch()));
        message.setField(
                type.findFieldByNumber(8), ByteString.copyFrom(tx.parent().raw()));
        message.setField(type.findFieldByNumber(9), tx.schemaVersion());
        message.setField(
                type.findFieldByNumber(10), ByteString.copyFrom(tx.merged().raw()));
        message.setField(type.findFieldByNumber(11), ByteString.copyFromUtf8(tx.conflicts()));
        return message.build();
    }

    private static Descriptor descriptor() throws Exception {
        DescriptorProto.Builder message = DescriptorProto.newBuilder().setName("TxV3");
        FieldDescriptorProto.Type string = FieldDescriptorProto.Type.TYPE_STRING;
        FieldDescriptorProto.Type bytes = FieldDescriptorProto.Type.TYPE_BYTES;
        FieldDescriptorProto.Type int64 = FieldDescriptorProto.Type.TYPE_INT64;
        FieldDescriptorProto.Type int32 = FieldDescriptorProto.Type.TYPE_INT32;
        FieldDescriptorProto.Type[] types = {
            string, int64, string, string, int32, bytes, bytes, bytes, int32, bytes, bytes
        };
        for (int i = 0; i < types.length; i++) {
            message.addField(FieldDescriptorProto.newBuilder()
                    .setName("f" + (i + 1))
                    .setNumber(i + 1)
                    .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL)
                    .setType(types[i]));
        }
        FileDescriptorProto file = FileDescriptorProto.newBuilder()
                .setName("tx.proto")
                .setSyntax("proto3")
                .addMessageType(message)
                .build();
        return FileDescriptor.buildFrom(file, new FileDescriptor[0]).findMessageTypeByName("TxV3");
    }
}
