package io.ocicat.cri.message;

import io.ocicat.base.protobuf.ProtobufReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a received message by their numbers. Each is asked for with its name, so that a
 * complaint says which one is meant. Unknown fields are ignored; malformed ones are an {@link
 * InvalidMessageException}.
 */
public final class Fields {
  /** More would be objects of many times the size of the message. */
  private static final int MOST_FIELDS = 500_000;

  private sealed interface Value {
    record Varint(long number) implements Value {}

    record Bytes(ByteBuffer content) implements Value {}
  }

  private final String path;
  private final AtomicInteger left;
  private final Map<Integer, List<Value>> values = new HashMap<>();

  private Fields(String path, AtomicInteger left, ProtobufReader in) {
    this.path = path;
    this.left = left;
    while (in.next()) {
      switch (in.type()) {
        case VARINT -> add(in.field(), new Value.Varint(in.number()));
        case LENGTH -> add(in.field(), new Value.Bytes(in.bytes()));
        case FIXED32, FIXED64 -> {
          // Only statistics have them, which nobody sends to a runtime.
        }
      }
    }
  }

  private void add(int field, Value value) {
    if (left.decrementAndGet() < 0) {
      throw new InvalidMessageException("the message has more than " + MOST_FIELDS + " fields");
    }
    values.computeIfAbsent(field, _ -> new ArrayList<>(1)).add(value);
  }

  /**
   * Reads a whole message.
   *
   * @throws InvalidMessageException when that is impossible
   */
  public static <T> T parse(byte[] message, Function<Fields, T> read) {
    try {
      return read.apply(
          new Fields(
              "", new AtomicInteger(MOST_FIELDS), new ProtobufReader(ByteBuffer.wrap(message))));
    } catch (IllegalArgumentException e) {
      throw new InvalidMessageException(String.valueOf(e.getMessage()));
    }
  }

  long number(int field, String name) {
    return switch (last(field)) {
      case null -> 0;
      case Value.Varint(long number) -> number;
      case Value.Bytes _ -> throw wrongType(name);
    };
  }

  int int32(int field, String name) {
    return (int) number(field, name);
  }

  long unsigned32(int field, String name) {
    return number(field, name) & 0xffff_ffffL;
  }

  boolean flag(int field, String name) {
    return number(field, name) != 0;
  }

  /** Int64Value and UInt64Value: null when absent. */
  @Nullable Long wrapped(int field, String name) {
    return message(field, name, inner -> inner.number(1, "value"));
  }

  List<Long> numbers(int field, String name) {
    List<Long> numbers = new ArrayList<>();
    for (Value value : all(field)) {
      switch (value) {
        case Value.Varint(long number) -> numbers.add(number);
        case Value.Bytes(ByteBuffer packed) ->
            ProtobufReader.packed(
                packed.duplicate(),
                number -> {
                  if (left.decrementAndGet() < 0) {
                    throw new InvalidMessageException(at(name) + " has too many elements");
                  }
                  numbers.add(number);
                });
      }
    }
    return numbers;
  }

  /** The constant with that number. */
  <E extends Enum<E>> E choice(int field, String name, E[] constants) {
    long number = number(field, name);
    if (number < 0 || number >= constants.length) {
      throw new InvalidMessageException(
          "%s is %d, which is not known: it must be 0–%d"
              .formatted(at(name), number, constants.length - 1));
    }
    return constants[(int) number];
  }

  ByteBuffer bytes(int field, String name) {
    Value value = last(field);
    return value == null ? ByteBuffer.allocate(0) : content(value, name);
  }

  String text(int field, String name) {
    Value value = last(field);
    return value == null ? "" : text(value, name);
  }

  List<String> texts(int field, String name) {
    List<String> texts = new ArrayList<>();
    all(field).forEach(value -> texts.add(text(value, name)));
    return texts;
  }

  Map<String, String> map(int field, String name) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (Value value : all(field)) {
      Fields pair = inner(value, name);
      pairs.put(pair.text(1, "key"), pair.text(2, "value"));
    }
    return pairs;
  }

  <T> @Nullable T message(int field, String name, Function<Fields, T> read) {
    Value value = last(field);
    return value == null ? null : read.apply(inner(value, name));
  }

  <T> List<T> messages(int field, String name, Function<Fields, T> read) {
    List<T> messages = new ArrayList<>();
    int index = 0;
    for (Value value : all(field)) {
      messages.add(read.apply(inner(value, name + "[" + index++ + "]")));
    }
    return messages;
  }

  private Fields inner(Value value, String name) {
    return new Fields(at(name), left, new ProtobufReader(content(value, name)));
  }

  private List<Value> all(int field) {
    return values.getOrDefault(field, List.of());
  }

  /** Of several values of a field that is not repeated the last one counts. */
  private @Nullable Value last(int field) {
    List<Value> all = all(field);
    return all.isEmpty() ? null : all.getLast();
  }

  private ByteBuffer content(Value value, String name) {
    return switch (value) {
      case Value.Bytes(ByteBuffer content) -> content.duplicate();
      case Value.Varint _ -> throw wrongType(name);
    };
  }

  private String text(Value value, String name) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(content(value, name)).toString();
    } catch (CharacterCodingException e) {
      throw new InvalidMessageException(at(name) + " is not UTF-8");
    }
  }

  private InvalidMessageException wrongType(String name) {
    return new InvalidMessageException(at(name) + " is not of its type");
  }

  private String at(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
