package io.ocicat.cni;

import io.ocicat.base.Quoted;
import java.nio.charset.StandardCharsets;

/** The name of a network interface, checked by Linux's rules (dev_valid_name, __dev_alloc_name). */
public record InterfaceName(String value) {
  private static final int MAX_BYTES = 15;

  /**
   * Checks the name.
   *
   * @throws CniException with code 4 saying which rule is violated
   */
  public InterfaceName {
    if (value.isEmpty()) {
      throw refuse("interface name is empty", "");
    }
    if (value.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
      throw refuse(
          "interface name is too long", "interface name should be less than 16 characters");
    }
    if (value.equals(".") || value.equals("..")) {
      throw refuse("interface name is . or ..", "");
    }
    for (int at = 0; at < value.length(); at++) {
      if (isForbidden(value.charAt(at))) {
        throw refuse("interface name contains / or : or whitespace characters", "");
      }
    }
    if (NativeText.hasControls(value)) {
      throw refuse("interface name contains control characters", "it is " + Quoted.brief(value));
    }
    if (!NativeText.isFileName(value)) {
      throw refuse(
          "interface name %s cannot be used".formatted(Quoted.brief(value)), NativeText.advice());
    }
    if (value.indexOf('%') >= 0) {
      throw refuse("interface name contains %", "the kernel takes it for a template, as in eth%d");
    }
  }

  /**
   * No character beyond the first plane is white space. Java's isWhitespace omits the no-break
   * spaces and U+0085, which Go includes.
   */
  private static boolean isForbidden(char c) {
    return c == '/'
        || c == ':'
        || c == 0
        || c == 0x85
        || Character.isWhitespace(c)
        || Character.isSpaceChar(c);
  }

  private static CniException refuse(String msg, String details) {
    return new CniException(ErrorCode.INVALID_ENVIRONMENT, msg, details);
  }

  @Override
  public String toString() {
    return value;
  }
}
