package io.ocicat.cni;

import java.util.regex.Pattern;

/** A network's name, safe to be part of a file name. */
public record NetworkName(String value) {
  private static final Pattern IDENTIFIER = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_.-]*");

  /**
   * Checks the name.
   *
   * @throws CniException with code 7 when it is empty or has a character that is not allowed
   */
  public NetworkName {
    if (value.isEmpty()) {
      // The colon is part of what callers compare.
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "missing network name:");
    }
    if (!isIdentifier(value)) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG, "invalid characters found in network name", value);
    }
  }

  /** The alphabet that names share with container ids. */
  static boolean isIdentifier(String text) {
    return IDENTIFIER.matcher(text).matches();
  }

  @Override
  public String toString() {
    return value;
  }
}
