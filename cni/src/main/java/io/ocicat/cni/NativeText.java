package io.ocicat.cni;

import java.nio.charset.Charset;

/**
 * Checks whether a string can be a file name in this process's locale, as names of interfaces
 * (below /proc/sys) and plugins must be.
 */
final class NativeText {
  /** The JDK's encoding of file names: in the C locale only ASCII. */
  private static final Charset NATIVE =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  /** Stands for bytes of the environment that are invalid in this process's locale. */
  private static final char UNREADABLE = '\ufffd';

  private NativeText() {}

  static boolean hasControls(String text) {
    return text.chars().anyMatch(Character::isISOControl);
  }

  /** Also false for an unpaired surrogate, which no encoding can represent. */
  static boolean isFileName(String text) {
    return text.indexOf(UNREADABLE) < 0 && NATIVE.newEncoder().canEncode(text);
  }

  static String advice() {
    return "file names of this process are in %s: set LC_ALL=C.UTF-8".formatted(NATIVE);
  }
}
