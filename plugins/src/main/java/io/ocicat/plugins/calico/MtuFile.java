package io.ocicat.plugins.calico;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the file in which Felix stores the largest MTU that fits into every tunnel in use. */
record MtuFile(Path path) {
  private static final int LEAST = 68;
  private static final int LARGEST = 65535;
  private static final int MAX_BYTES = 4096;

  /**
   * The MTU; 0 when the file does not exist.
   *
   * @throws CniException when it is required and missing, or not a number
   */
  int read(boolean required) {
    String text;
    try {
      text = new String(RegularFile.read(path, MAX_BYTES), StandardCharsets.UTF_8).strip();
    } catch (NoSuchFileException e) {
      if (!required) {
        return 0;
      }
      throw refuse("it does not exist, and require_mtu_file says it must", e);
    } catch (IOException e) {
      throw refuse(e.toString(), e);
    }
    try {
      int mtu = Integer.parseInt(text);
      if (mtu >= LEAST && mtu <= LARGEST) {
        return mtu;
      }
    } catch (NumberFormatException _) {
      // Rejected below.
    }
    throw refuse("it holds no number %d–%d".formatted(LEAST, LARGEST), null);
  }

  private CniException refuse(String why, @Nullable Throwable cause) {
    String message = "failed to read MTU file: %s: %s".formatted(path, why);
    return cause == null
        ? new CniException(ErrorCode.INTERNAL, message)
        : new CniException(ErrorCode.INTERNAL, message, cause);
  }
}
