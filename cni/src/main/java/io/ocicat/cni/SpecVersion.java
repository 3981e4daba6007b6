package io.ocicat.cni;

import io.ocicat.base.Quoted;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The versions of the CNI specification, in order. */
public enum SpecVersion {
  V0_1_0("0.1.0", Family.V0_2),
  V0_2_0("0.2.0", Family.V0_2),
  V0_3_0("0.3.0", Family.V0_4),
  V0_3_1("0.3.1", Family.V0_4),
  V0_4_0("0.4.0", Family.V0_4),
  V1_0_0("1.0.0", Family.V1),
  V1_1_0("1.1.0", Family.V1);

  /** Versions whose results have the same shape, named after the newest of them. */
  public enum Family {
    /** {@code ip4} and {@code ip6}. */
    V0_2,
    /** {@code interfaces} and {@code ips}, each with a {@code version}. */
    V0_4,
    /** The same without {@code version}; {@code dns} only when it is not empty. */
    V1;

    /** As Go prints the versions that a result type supports. */
    String describe() {
      String versions =
          Arrays.stream(SpecVersion.values())
              .filter(v -> v.family == this)
              .map(SpecVersion::text)
              .collect(Collectors.joining(" "));
      return this == V0_2 ? "[ " + versions + "]" : "[" + versions + "]";
    }
  }

  /** The newest version implemented here. */
  public static final SpecVersion LATEST = V1_1_0;

  private static final List<SpecVersion> ALL = List.of(values());
  private static final List<String> TEXTS = ALL.stream().map(SpecVersion::text).toList();

  private final String text;
  private final Family family;

  SpecVersion(String text, Family family) {
    this.text = text;
    this.family = family;
  }

  public String text() {
    return text;
  }

  public Family family() {
    return family;
  }

  public VersionNumber number() {
    return VersionNumber.parse(text);
  }

  public boolean isAtLeast(SpecVersion other) {
    return compareTo(other) >= 0;
  }

  /** The version with exactly this text; an empty one means 0.1.0. */
  public static Optional<SpecVersion> find(String text) {
    if (text.isEmpty()) {
      return Optional.of(V0_1_0);
    }
    for (SpecVersion version : ALL) {
      if (version.text.equals(text)) {
        return Optional.of(version);
      }
    }
    return Optional.empty();
  }

  /**
   * The version with exactly this text; an empty one means 0.1.0.
   *
   * @throws CniException with code 1 when the specification has no such version
   */
  public static SpecVersion of(String text) {
    return find(text)
        .orElseThrow(
            () ->
                new CniException(
                    ErrorCode.INCOMPATIBLE_VERSION,
                    "unsupported CNI version " + Quoted.brief(text),
                    "known versions are " + String.join(", ", textsFrom(V0_1_0))));
  }

  /**
   * The texts of all versions from {@code first} on, in which a plugin declares what it supports.
   */
  public static List<String> textsFrom(SpecVersion first) {
    return TEXTS.subList(ALL.indexOf(first), TEXTS.size());
  }

  @Override
  public String toString() {
    return text;
  }
}
