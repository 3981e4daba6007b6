package io.ocicat.ipam.model;

import io.ocicat.datastore.model.IpamBlock;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that the host reserves at both ends of every block, as Windows does.
 *
 * @param start how many at the block's beginning
 * @param end how many at its end
 */
public record HostReserved(int start, int end, String handle, String note) {
  /** The handle of the addresses that Windows reserves, on every host. */
  public static final String WINDOWS_HANDLE = "windows-reserved-ipam-handle";

  /** What a Windows host reserves in each IPv4 block. */
  public static final HostReserved WINDOWS =
      new HostReserved(3, 1, WINDOWS_HANDLE, "windows host rsvd");

  public HostReserved {
    if (start < 0 || end < 0 || start + end == 0) {
      throw new IpamException(
          IpamException.Reason.INVALID_REQUEST,
          "a host must reserve at least one address of each block, not %d and %d"
              .formatted(start, end));
    }
  }

  /** The longest prefix of a block that has room for these and at least as many again. */
  public int longestBlock(int bits) {
    return bits - (Integer.SIZE - Integer.numberOfLeadingZeros(start + end));
  }

  public IpamBlock.Attributes attributes() {
    return new IpamBlock.Attributes(handle, Map.of("note", note));
  }

  /** Whether an address is merely reserved, so that its block still counts as empty. */
  public static boolean isReserved(@Nullable String handle) {
    return handle != null && handle.toLowerCase(Locale.ROOT).equals(WINDOWS_HANDLE);
  }
}
