package io.ocicat.conformance.lab;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The bytes of a variable or of stdin, in a form that a short shell command can reproduce, however
 * long they are.
 */
public record RawValue(List<Part> parts) {

  /** A piece of a value. */
  public sealed interface Part {
    byte[] bytes();

    /** A command that prints it. */
    String shell();

    record Text(String text) implements Part {
      @Override
      public byte[] bytes() {
        return text.getBytes(UTF_8);
      }

      @Override
      public String shell() {
        return Shell.print(text);
      }
    }

    /** A text repeated many times. */
    record Repeated(String unit, int times) implements Part {
      @Override
      public byte[] bytes() {
        return unit.repeat(times).getBytes(UTF_8);
      }

      @Override
      public String shell() {
        return "yes %s | head -n %d | tr -d '\\n'".formatted(Shell.quote(unit), times);
      }
    }

    /** Bytes that are not UTF-8, each as a character of ISO 8859-1. */
    record Raw(String latin1) implements Part {
      @Override
      public byte[] bytes() {
        return latin1.getBytes(ISO_8859_1);
      }

      @Override
      public String shell() {
        return Shell.print(bytes());
      }
    }
  }

  public RawValue {
    parts = List.copyOf(parts);
  }

  public static RawValue of(String text) {
    return new RawValue(List.of(new Part.Text(text)));
  }

  public static RawValue raw(String latin1) {
    return new RawValue(List.of(new Part.Raw(latin1)));
  }

  public RawValue then(String text) {
    return then(new Part.Text(text));
  }

  public RawValue thenRaw(String latin1) {
    return then(new Part.Raw(latin1));
  }

  public RawValue thenRepeat(String unit, int times) {
    return then(new Part.Repeated(unit, times));
  }

  public RawValue then(Part part) {
    List<Part> more = new ArrayList<>(parts);
    more.add(part);
    return new RawValue(more);
  }

  public byte[] bytes() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    parts.forEach(part -> out.writeBytes(part.bytes()));
    return out.toByteArray();
  }

  /** As the word of a command. */
  String word() {
    return parts.size() == 1
            && parts.getFirst() instanceof Part.Text(String text)
            && Shell.isPresentable(text)
        ? Shell.quote(text)
        : "\"$(" + commands() + ")\"";
  }

  /** A command that prints it. */
  String command() {
    return parts.size() == 1 ? commands() : "{ " + commands() + "; }";
  }

  private String commands() {
    return parts.stream().map(Part::shell).collect(Collectors.joining("; "));
  }
}
