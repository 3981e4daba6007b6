package io.ocicat.sandbox.seccomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class DefaultSeccompTest {
  private static List<String> named(Set<String> capabilities, String action) {
    List<String> names = new ArrayList<>();
    for (JsonNode rule : DefaultSeccomp.of(capabilities).get("syscalls")) {
      if (rule.get("action").asString().equals(action) && rule.get("args") == null) {
        rule.get("names").forEach(name -> names.add(name.asString()));
      }
    }
    return names;
  }

  private static List<String> allowed(String... capabilities) {
    return named(Set.of(capabilities), "SCMP_ACT_ALLOW");
  }

  private static List<String> denied(String... capabilities) {
    return named(Set.of(capabilities), "SCMP_ACT_ERRNO");
  }

  @Test
  void theUsualIsAllowedAndTheDangerousIsNot() {
    assertThat(allowed()).contains("read", "execve", "futex", "openat2", "rseq", "ptrace");
    assertThat(denied())
        .contains(
            "mount", "unshare", "bpf", "keyctl", "io_uring_setup", "userfaultfd", "kexec_load")
        .doesNotContainAnyElementsOf(allowed());
  }

  @Test
  void capabilitiesAllowMore() {
    assertThat(allowed("CAP_SYS_ADMIN")).contains("mount", "setns", "bpf", "clone", "clone3");
    assertThat(denied("CAP_SYS_ADMIN")).doesNotContain("bpf", "syslog").contains("reboot");
    assertThat(allowed("CAP_BPF")).contains("bpf").doesNotContain("mount");
  }

  /** moby#42680, runc#2151: EPERM for a new call would break C libraries that try it first. */
  @Test
  void unknownCallsDoNotExist() {
    JsonNode profile = DefaultSeccomp.of(Set.of());
    assertThat(profile.get("defaultAction").asString()).isEqualTo("SCMP_ACT_ERRNO");
    assertThat(profile.get("defaultErrnoRet").asInt()).isEqualTo(38);
    assertThat(denied()).doesNotContain("clone3");
    assertThat(allowed()).doesNotContain("clone3");
  }
}
