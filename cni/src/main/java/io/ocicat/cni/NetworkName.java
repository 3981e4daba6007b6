package io.ocicat.cni;

/** A network's name, safe to be part of a file name. */
public record NetworkName(String value) {
  /**
   * Checks the name.
   *
   * @throws CniException with code 7 when it is empty or contains an invalid character
   */
  public NetworkName {
    if (value.isEmpty()) {
      // Callers compare the text including the colon.
      throw new CniException(ErrorCode.INVALID_NETWORK_CONFIG, "missing network name:");
    }
    if (!isIdentifier(value)) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG, "invalid characters found in network name", value);
    }
  }

  /** The characters allowed in both network names and container ids. */
  static boolean isIdentifier(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isAlphanumeric(text.charAt(i)) && (i == 0 || "_.-".indexOf(text.charAt(i)) < 0)) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  @Override
  public String toString() {
    return value;
  }
}
