package dev.tallystick.workflow;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** JSON, mapped by Jackson. */
public final class JsonCodec implements Codec {

    private final JsonMapper mapper;

    public JsonCodec() {
        this(JsonMapper.shared());
    }

    public JsonCodec(JsonMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public byte[] encode(@Nullable Object value) {
        return mapper.writeValueAsBytes(value);
    }

    @Override
    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"
    }) // JSON null is a value of every type that the caller declares nullable
    public <T extends @Nullable Object> T decode(byte[] bytes, Type type) {
        return mapper.readValue(bytes, mapper.constructType(type));
    }
}
