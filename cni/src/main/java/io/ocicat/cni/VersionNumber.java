package io.ocicat.cni;

import io.ocicat.base.Quoted;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * A version string as numbers, whether or not the specification has that version: up to three
 * parts, missing ones 0, an empty string meaning 0.1.0. Signs are accepted because Go's library
 * accepts them. Support for a version is decided on the text instead ("1.0" is not "1.0.0").
 */
public record VersionNumber(long major, long minor, long micro)
    implements Comparable<VersionNumber> {
  private static final Pattern PART = Pattern.compile("[+-]?[0-9]{1,18}");
  private static final Comparator<VersionNumber> ORDER =
      Comparator.comparingLong(VersionNumber::major)
          .thenComparingLong(VersionNumber::minor)
          .thenComparingLong(VersionNumber::micro);

  /**
   * Parses a version.
   *
   * @throws CniException with code 6 when it is invalid
   */
  public static VersionNumber parse(String text) {
    if (text.isEmpty()) {
      return new VersionNumber(0, 1, 0);
    }
    String[] parts = text.split("\\.", -1);
    if (parts.length > 3) {
      throw refuse(text, "too many parts");
    }
    long[] numbers = new long[3];
    for (int i = 0; i < parts.length; i++) {
      if (!PART.matcher(parts[i]).matches()) {
        throw refuse(text, Quoted.brief(parts[i]) + " is not a number");
      }
      numbers[i] = Long.parseLong(parts[i]);
    }
    return new VersionNumber(numbers[0], numbers[1], numbers[2]);
  }

  private static CniException refuse(String text, String why) {
    return new CniException(
        ErrorCode.DECODING_FAILURE, "invalid version " + Quoted.brief(text) + ": " + why);
  }

  public boolean isAtLeast(SpecVersion version) {
    return compareTo(version.number()) >= 0;
  }

  @Override
  public int compareTo(VersionNumber other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + micro;
  }
}
