package io.ocicat.cni;

import java.nio.charset.Charset;

/**
 * Whether a text can be a file name of this process, as names of interfaces (below /proc/sys) and
 * plugins are.
 */
final class NativeText {
  /** What the JDK encodes file names with: in the C locale nothing but ASCII. */
  private static final Charset NATIVE =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  /** Stands for bytes of the environment that are no text in this process's locale. */
  private static final char UNREADABLE = '\ufffd';

  private NativeText() {}

  static boolean hasControls(String text) {
    return text.chars().anyMatch(Character::isISOControl);
  }

  /** False also for half a surrogate pair, which no encoding has. */
  static boolean isFileName(String text) {
    return text.indexOf(UNREADABLE) < 0 && NATIVE.newEncoder().canEncode(text);
  }

  static String advice() {
    return "file names of this process are in %s: set LC_ALL=C.UTF-8".formatted(NATIVE);
  }
}
