package io.ocicat.cni;

/** A container's id, safe to be part of a file name. */
public record ContainerId(String value) {
  /**
   * Checks the id.
   *
   * @throws CniException with code 3 when it is empty, 4 when it contains an invalid character
   */
  public ContainerId {
    if (value.isEmpty()) {
      throw new CniException(ErrorCode.UNKNOWN_CONTAINER, "missing containerID");
    }
    if (!NetworkName.isIdentifier(value)) {
      throw new CniException(
          ErrorCode.INVALID_ENVIRONMENT, "invalid characters in containerID", value);
    }
  }

  @Override
  public String toString() {
    return value;
  }
}
