package io.ocicat.cri.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ocicat.base.protobuf.ProtobufWriter;
import io.ocicat.cri.message.SandboxConfigMessages.PodSandboxConfig;
import io.ocicat.cri.message.SandboxMessages.RunPodSandboxRequest;
import io.ocicat.testkit.Seeded;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is what was read, for every message; anything else is refused by name. */
class MessageTest {
  private static final List<Class<?>> HOLDERS =
      List.of(
          CommonMessages.class,
          ContainerConfigMessages.class,
          ContainerMessages.class,
          ContainerStatusMessages.class,
          EventMessages.class,
          ImageMessages.class,
          RuntimeMessages.class,
          SandboxConfigMessages.class,
          SandboxMessages.class,
          StatsMessages.class,
          StreamingMessages.class);

  static Stream<Class<?>> messages() {
    return HOLDERS.stream()
        .flatMap(holder -> Arrays.stream(holder.getDeclaredClasses()))
        .filter(Class::isRecord);
  }

  @ParameterizedTest
  @MethodSource("messages")
  void everyMessageSurvivesItsOwnBytes(Class<?> type) {
    Seeded.forAll(
        20,
        random -> {
          CriMessage message = (CriMessage) any(type, random, 0);
          assertThat(read(type, message.toBytes())).isEqualTo(message);
        });
  }

  @ParameterizedTest
  @MethodSource("messages")
  void unknownFieldsAreIgnored(Class<?> type) {
    byte[] newer =
        new ProtobufWriter()
            .text(900, "new")
            .number(901, 7)
            .message(902, inner -> inner.text(1, "x"))
            .toBytes();

    assertThat(read(type, newer)).isEqualTo(read(type, new byte[0]));
  }

  @ParameterizedTest
  @MethodSource("messages")
  void anyBytesAreReadOrRefused(Class<?> type) {
    Seeded.forAll(
        100,
        random -> {
          byte[] bytes = new byte[random.nextInt(40)];
          random.nextBytes(bytes);
          try {
            read(type, bytes);
          } catch (InvalidMessageException e) {
            assertThat(e).hasMessageNotContaining("\n");
          }
        });
  }

  @Test
  void aFieldThatIsNotUtf8IsNamed() {
    byte[] request = HexFormat.of().parseHex("0a04" + "1202" + "c328");

    assertThatThrownBy(() -> Fields.parse(request, RunPodSandboxRequest::read))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessage("config.hostname is not UTF-8");
  }

  @Test
  void anUnknownChoiceIsNamed() {
    byte[] config =
        new ProtobufWriter()
            .message(
                8,
                linux -> linux.message(2, rights -> rights.message(1, names -> names.number(2, 9))))
            .toBytes();

    assertThatThrownBy(() -> Fields.parse(config, PodSandboxConfig::read))
        .hasMessage(
            "linux.security_context.namespace_options.pid is 9, which is not known: it must be 0–3");
  }

  @Test
  void aMessageOfFarTooManyFieldsIsRefused() {
    byte[] many = new byte[1_200_000];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = 0x2a;
    }

    assertThatThrownBy(() -> Fields.parse(many, PodSandboxConfig::read))
        .hasMessageContaining("more than 500000 fields");
  }

  @Test
  void repeatedNumbersNeedNotBePacked() {
    byte[] loose = HexFormat.of().parseHex("0a0178" + "1050" + "1001");

    assertThat(Fields.parse(loose, StreamingMessages.PortForwardRequest::read).port())
        .containsExactly(80L, 1L);
  }

  static Object read(Class<?> type, byte[] bytes) {
    Function<Fields, Object> read =
        fields -> {
          try {
            Method method = type.getDeclaredMethod("read", Fields.class);
            assertThat(Modifier.isStatic(method.getModifiers())).isTrue();
            return method.invoke(null, fields);
          } catch (java.lang.reflect.InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException cause) {
              throw cause;
            }
            throw new LinkageError(e.getMessage(), e);
          } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
          }
        };
    return Fields.parse(bytes, read);
  }

  private static Object any(Class<?> type, Random random, int depth) {
    List<@Nullable Object> values = new ArrayList<>();
    RecordComponent[] components = type.getRecordComponents();
    for (RecordComponent component : components) {
      values.add(
          value(
              component.getType(), component.getGenericType(), component.getName(), random, depth));
    }
    try {
      return type.getDeclaredConstructor(
              Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
          .newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static @Nullable Object value(
      Class<?> type, Type generic, String name, Random random, int depth) {
    if (type == String.class) {
      return random.nextBoolean() ? "" : "é" + random.nextInt(1000);
    }
    if (type == boolean.class) {
      return random.nextBoolean();
    }
    if (type == int.class) {
      return random.nextInt();
    }
    if (type == long.class) {
      boolean unsigned32 = List.of("attempt", "hostId", "containerId", "length").contains(name);
      return unsigned32 ? random.nextInt() & 0xffff_ffffL : random.nextLong();
    }
    if (type == ByteBuffer.class) {
      byte[] bytes = new byte[random.nextInt(9)];
      random.nextBytes(bytes);
      return ByteBuffer.wrap(bytes);
    }
    if (type.isEnum()) {
      Object[] constants = type.getEnumConstants();
      return constants[random.nextInt(constants.length)];
    }
    if (type == Map.class) {
      Map<String, String> map = new LinkedHashMap<>();
      for (int i = random.nextInt(4); i > 0; i--) {
        map.put("k" + i, random.nextBoolean() ? "" : "v" + i);
      }
      return map;
    }
    if (type == List.class) {
      Class<?> element = (Class<?>) ((ParameterizedType) generic).getActualTypeArguments()[0];
      List<@Nullable Object> list = new ArrayList<>();
      for (int i = depth > 2 ? 0 : random.nextInt(3); i > 0; i--) {
        list.add(
            element == Long.class
                ? Long.valueOf(random.nextLong())
                : value(element, element, "", random, depth + 1));
      }
      return list;
    }
    if (type == Long.class) {
      return random.nextBoolean() ? null : random.nextLong();
    }
    boolean element = name.isEmpty();
    return !element && (depth > 3 || random.nextInt(3) == 0) ? null : any(type, random, depth + 1);
  }
}
