package io.ocicat.conformance.lab;

/** The standard input of a plugin. */
public sealed interface Stdin {

  /** A pipe with something in it. */
  record Piped(RawValue value) implements Stdin {}

  /** Nothing at all: the descriptor is closed. */
  record Closed() implements Stdin {}

  static Stdin of(String text) {
    return new Piped(RawValue.of(text));
  }

  default byte[] bytes() {
    return switch (this) {
      case Piped(RawValue value) -> value.bytes();
      case Closed() -> new byte[0];
    };
  }
}
