package io.ocicat.ipam.block;

import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import io.ocicat.ipam.model.OwnerAttributeChange;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Changes the owner attributes that a block records for an assigned address. */
public final class OwnerAttributes {
  private OwnerAttributes() {}

  public static void change(
      BlockEdit edit, IpAddress address, String handle, OwnerAttributeChange change) {
    int ordinal = BlockEdit.ordinal(edit.cidr(), address);
    IpamBlock.Attributes now = edit.attributes(ordinal);
    if (now == null || now.isCoolingDown()) {
      throw new IpamException(
          IpamException.Reason.NOT_ASSIGNED, "address %s is not assigned".formatted(address));
    }
    if (now.handle() == null
        || !CalicoConventions.sanitize(now.handle()).equals(CalicoConventions.sanitize(handle))) {
      throw new IpamException(
          IpamException.Reason.BAD_HANDLE,
          "address %s belongs to handle %s, not %s".formatted(address, now.handle(), handle));
    }
    Map<String, String> owner =
        side(address, "owner", now.owner(), change.owner(), change.expectedOwner());
    Map<String, String> alternate =
        side(
            address,
            "alternate owner",
            now.alternate(),
            change.alternate(),
            change.expectedAlternate());
    edit.changeOwner(
        ordinal, new IpamBlock.Attributes(now.handle(), owner, alternate, now.others()));
    if (isNew(owner, now) || isNew(alternate, now)) {
      edit.reassign(ordinal);
    }
  }

  /** A process that considered the address leaked must not release it from its new owner. */
  private static boolean isNew(Map<String, String> noted, IpamBlock.Attributes before) {
    return !noted.isEmpty() && !noted.equals(before.owner()) && !noted.equals(before.alternate());
  }

  private static Map<String, String> side(
      IpAddress address,
      String which,
      Map<String, String> now,
      @Nullable Map<String, String> wanted,
      OwnerAttributeChange.@Nullable Expected expected) {
    if (wanted == null) {
      return now;
    }
    if (expected != null && !expected.holds(now)) {
      throw new IpamException(
          IpamException.Reason.BAD_OWNER,
          "the %s of %s is %s, not %s as expected".formatted(which, address, now, expected));
    }
    return wanted;
  }
}
