package io.ocicat.cri;

import io.ocicat.cri.message.CriMessage;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message with one field after the other replaced by something nobody should send. */
final class Variants {
  private static final String HUGE = "x".repeat(300_000);
  private static final String ODD = "a\0b\n/../..";

  /**
   * One of them.
   *
   * @param what the field and its value, for people
   */
  record Variant(String what, CriMessage message) {}

  private Variants() {}

  static List<Variant> of(CriMessage message) {
    List<Variant> all = new ArrayList<>();
    variants((Record) message, "")
        .forEach((each) -> all.add(new Variant(each.what(), (CriMessage) each.record())));
    return all;
  }

  private record Changed(String what, Record record) {}

  private static List<Changed> variants(Record record, String path) {
    List<Changed> all = new ArrayList<>();
    RecordComponent[] components = record.getClass().getRecordComponents();
    @Nullable Object[] values = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = read(components[i], record);
    }
    for (int i = 0; i < components.length; i++) {
      String at = path + components[i].getName();
      for (@Nullable Object value : odd(components[i], values[i])) {
        all.add(new Changed(at + " = " + brief(value), with(record, components, values, i, value)));
      }
      if (values[i] instanceof Record inner) {
        for (Changed changed : variants(inner, at + ".")) {
          all.add(
              new Changed(changed.what(), with(record, components, values, i, changed.record())));
        }
      }
    }
    return all;
  }

  private static List<@Nullable Object> odd(RecordComponent component, @Nullable Object now) {
    Class<?> type = component.getType();
    List<@Nullable Object> odd = new ArrayList<>();
    if (type == String.class) {
      odd.addAll(List.of("", HUGE, ODD));
    } else if (type == int.class) {
      odd.addAll(List.of(-1, Integer.MAX_VALUE));
    } else if (type == long.class) {
      odd.addAll(List.of(-1L, Long.MAX_VALUE));
    } else if (type == Map.class) {
      odd.addAll(List.of(Map.of("", ""), Map.of(HUGE, HUGE.repeat(5)), Map.of(ODD, ODD)));
    } else if (type == List.class) {
      Class<?> element =
          (Class<?>) ((ParameterizedType) component.getGenericType()).getActualTypeArguments()[0];
      if (element == String.class) {
        odd.addAll(List.of(List.of(""), List.of(HUGE), List.of(ODD)));
      } else if (element == Long.class) {
        odd.addAll(List.of(List.of(-1L), List.of(Long.MAX_VALUE)));
      }
    } else if (type.isRecord() && now != null) {
      odd.add(null);
    }
    return odd;
  }

  private static String brief(@Nullable Object value) {
    String text = String.valueOf(value);
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }

  private static @Nullable Object read(RecordComponent component, Record record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static Record with(
      Record record,
      RecordComponent[] components,
      @Nullable Object[] values,
      int index,
      @Nullable Object value) {
    @Nullable Object[] changed = values.clone();
    changed[index] = value;
    try {
      return (Record)
          record
              .getClass()
              .getDeclaredConstructor(
                  Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new))
              .newInstance(changed);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
