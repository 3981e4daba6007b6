package io.ocicat.image.unpack;

import io.ocicat.image.archive.TarEntry;
import java.util.Set;

/**
 * Which device files a layer may contain. Runtimes make the usual ones in every container, so an
 * image needs none; one for a disk would open it to whatever may use the file.
 */
public enum DevicePolicy {
  /** null, zero, full, random, urandom, tty, console and ptmx, which old images carry. */
  HARMLESS,
  ALL;

  private static final Set<Integer> MEMORY = Set.of(3, 5, 7, 8, 9);
  private static final Set<Integer> TERMINAL = Set.of(0, 1, 2);

  boolean allows(TarEntry device) {
    boolean whiteout = device.deviceMajor() == 0 && device.deviceMinor() == 0;
    boolean block = device.type() == TarEntry.Type.BLOCK_DEVICE;
    return switch (this) {
      // A device 0:0 would hide what is below, a whiteout that other tools do not see.
      case ALL -> block || !whiteout;
      case HARMLESS ->
          !block
              && switch (device.deviceMajor()) {
                case 1 -> MEMORY.contains(device.deviceMinor());
                case 5 -> TERMINAL.contains(device.deviceMinor());
                default -> false;
              };
    };
  }
}
