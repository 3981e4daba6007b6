package io.ocicat.cri.service;

import io.ocicat.base.Quoted;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * Refuses texts that the kernel would refuse, by the name of the field. Found out later, by the OCI
 * runtime inside a container that is half there, they cost minutes.
 */
final class KernelLimits {
  /** MAX_ARG_STRLEN of execve(2), less the NUL at the end. */
  private static final int LONGEST_ARGUMENT = (128 << 10) - 1;

  /** PATH_MAX and NAME_MAX, less the NUL. */
  private static final int LONGEST_PATH = 4095;

  private static final int LONGEST_NAME = 255;

  private KernelLimits() {}

  /** Arguments of a program, whose first is its name. */
  static void command(String field, List<String> words) {
    if (!words.isEmpty() && words.getFirst().isEmpty()) {
      throw Required.invalid(field + " names no program: its first element is empty");
    }
    words.forEach(word -> argument(field, word));
  }

  static void argument(String field, String text) {
    if (bytes(text) > LONGEST_ARGUMENT) {
      throw Required.invalid(
          "%s has an element of %d bytes: the kernel takes %d"
              .formatted(field, bytes(text), LONGEST_ARGUMENT));
    }
    if (text.indexOf('\0') >= 0) {
      throw Required.invalid(field + " contains a NUL character");
    }
  }

  static void path(String field, String text) {
    boolean usable =
        bytes(text) <= LONGEST_PATH
            && text.indexOf('\0') < 0
            && Arrays.stream(text.split("/", -1)).allMatch(part -> bytes(part) <= LONGEST_NAME);
    if (!usable) {
      throw Required.invalid("%s %s is not a path".formatted(field, Quoted.brief(text)));
    }
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
