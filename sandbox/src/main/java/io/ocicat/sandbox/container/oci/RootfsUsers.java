package io.ocicat.sandbox.container.oci;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.container.ContainerUser;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The users and groups of a root file system. */
final class RootfsUsers {
  private static final String PASSWD = "/etc/passwd";
  private static final String GROUP = "/etc/group";

  private record User(String name, long uid, long gid) {}

  private record Group(String name, long gid, List<String> members) {}

  private final List<User> users = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();

  RootfsUsers(Path rootfs) {
    try {
      for (String line : InRoot.read(rootfs, PASSWD).split("\n", -1)) {
        String[] fields = line.split(":", -1);
        if (fields.length > 3 && isNumber(fields[2]) && isNumber(fields[3])) {
          users.add(new User(fields[0], number(fields[2]), number(fields[3])));
        }
      }
      for (String line : InRoot.read(rootfs, GROUP).split("\n", -1)) {
        String[] fields = line.split(":", -1);
        if (fields.length > 3 && isNumber(fields[2])) {
          List<String> members = List.of(fields[3].strip().split(",", -1));
          groups.add(new Group(fields[0], number(fields[2]), members));
        }
      }
    } catch (IOException e) {
      throw new SandboxException(
          Reason.FAILED,
          "cannot read the users of the image: %s".formatted(SandboxException.text(e)),
          e);
    }
  }

  /**
   * Decides whom the container runs as.
   *
   * @param ofImage {@code user[:group]}; empty for root
   */
  ContainerUser find(ContainerSecurity security, String ofImage) {
    String user;
    String group = "";
    if (!security.runAsUsername().isEmpty()) {
      user = security.runAsUsername();
    } else if (security.runAsUser() != null) {
      user = security.runAsUser().toString();
    } else {
      String[] parts = ofImage.split(":", 2);
      user = parts[0].isEmpty() ? "0" : parts[0];
      group = parts.length > 1 ? parts[1] : "";
    }
    if (security.runAsGroup() != null) {
      group = security.runAsGroup().toString();
    }
    @Nullable User known = user(user).orElse(null);
    long uid;
    if (known != null) {
      uid = known.uid();
    } else if (isNumber(user)) {
      uid = number(user);
    } else {
      throw new SandboxException(
          Reason.INVALID, "the image has no user %s in %s".formatted(Quoted.brief(user), PASSWD));
    }
    long gid = group.isEmpty() ? (known == null ? 0 : known.gid()) : group(group);
    Set<Long> all = new LinkedHashSet<>();
    // Otherwise a process could drop the group, and what it is denied with it (CVE-2023-25173).
    all.add(gid);
    if (!security.strictGroups() && known != null) {
      groups.stream()
          .filter(each -> each.members().contains(known.name()))
          .forEach(each -> all.add(each.gid()));
    }
    all.addAll(security.supplementalGroups());
    return new ContainerUser(uid, gid, List.copyOf(all));
  }

  private Optional<User> user(String nameOrNumber) {
    return users.stream()
        .filter(
            user ->
                isNumber(nameOrNumber)
                    ? user.uid() == number(nameOrNumber)
                    : user.name().equals(nameOrNumber))
        .findFirst();
  }

  private long group(String nameOrNumber) {
    if (isNumber(nameOrNumber)) {
      return number(nameOrNumber);
    }
    return groups.stream()
        .filter(group -> group.name().equals(nameOrNumber))
        .findFirst()
        .map(Group::gid)
        .orElseThrow(
            () ->
                new SandboxException(
                    Reason.INVALID,
                    "the image has no group %s in %s"
                        .formatted(Quoted.brief(nameOrNumber), GROUP)));
  }

  /** Whether it is one: a larger one would wrap around to root (CVE-2024-40635). */
  private static boolean isNumber(String text) {
    if (text.isEmpty() || text.length() > 20 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return false;
    }
    if (text.length() > 10 || number(text) > Integer.MAX_VALUE) {
      throw new SandboxException(
          Reason.INVALID, "id %s must be 0–%d".formatted(text, Integer.MAX_VALUE));
    }
    return true;
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }
}
