package io.ocicat.netlink.route;

import io.ocicat.netlink.link.Link;
import org.jspecify.annotations.Nullable;

/**
 * A reference to a link by its index, for addresses, routes and neighbours. The name, if known, is
 * only for error messages; it never reaches the kernel, and two devices are equal when their
 * indexes are.
 *
 * @param name empty when unknown
 */
public record Device(int index, String name) {
  public Device {
    if (index <= 0) {
      throw new IllegalArgumentException(
          "a device's index is at least 1, not " + index + (name.isEmpty() ? "" : " for " + name));
    }
  }

  public static Device of(int index) {
    return new Device(index, "");
  }

  public static Device of(int index, String name) {
    return new Device(index, name);
  }

  public static Device of(Link link) {
    return new Device(link.index(), link.name());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Device that && index == that.index;
  }

  @Override
  public int hashCode() {
    return index;
  }

  /** {@code eth0}, or {@code 7} when the name is unknown. */
  @Override
  public String toString() {
    return name.isEmpty() ? Integer.toString(index) : name;
  }
}
