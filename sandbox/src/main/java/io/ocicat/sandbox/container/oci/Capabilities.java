package io.ocicat.sandbox.container.oci;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.container.ContainerSecurity;
import io.ocicat.sandbox.infra.Privilege;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The capabilities of a container, none that we lack ourselves: the runtime would fail to set them.
 *
 * @param held bounding, effective and permitted
 * @param ambient also inheritable; others never are (CVE-2022-24769)
 */
record Capabilities(Set<String> held, Set<String> ambient) {
  private static final String ALL = "ALL";
  private static final String PREFIX = "CAP_";
  private static final List<String> USUAL =
      List.of(
          "CAP_CHOWN",
          "CAP_DAC_OVERRIDE",
          "CAP_FSETID",
          "CAP_FOWNER",
          "CAP_MKNOD",
          "CAP_NET_RAW",
          "CAP_SETGID",
          "CAP_SETUID",
          "CAP_SETFCAP",
          "CAP_SETPCAP",
          "CAP_NET_BIND_SERVICE",
          "CAP_SYS_CHROOT",
          "CAP_KILL",
          "CAP_AUDIT_WRITE");

  static Capabilities of(ContainerSecurity security, Set<String> ours) {
    if (security.privileged()) {
      return new Capabilities(ours, Set.of());
    }
    Set<String> add = names("add_capabilities", security.addCapabilities());
    Set<String> drop = names("drop_capabilities", security.dropCapabilities());
    Set<String> ambient = names("add_ambient_capabilities", security.addAmbientCapabilities());
    Set<String> held = new LinkedHashSet<>(add.contains(ALL) ? ours : USUAL);
    if (drop.contains(ALL)) {
      held.clear();
    }
    held.addAll(add);
    held.addAll(ambient);
    held.removeAll(drop);
    held.retainAll(ours);
    ambient.retainAll(held);
    return new Capabilities(held, ambient);
  }

  private static Set<String> names(String field, List<String> given) {
    Set<String> names = new LinkedHashSet<>();
    for (String each : given) {
      String upper = each.toUpperCase(Locale.ROOT);
      String name = upper.equals(ALL) || upper.startsWith(PREFIX) ? upper : PREFIX + upper;
      if (!name.equals(ALL) && !Privilege.capabilities().contains(name)) {
        throw new SandboxException(
            Reason.INVALID,
            "%s: %s is not a capability of Linux".formatted(field, Quoted.brief(each)));
      }
      names.add(name);
    }
    return names;
  }
}
