package io.ocicat.cni.exec;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniArgs.Arg;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CniEnvironmentTest {
  private static final Map<String, String> INHERITED =
      Map.of(
          "HOME", "/root",
          "CNI_COMMAND", "FOO",
          "CNI_CONTAINERID", "old",
          "CNI_NETNS", "old",
          "CNI_IFNAME", "old",
          "CNI_ARGS", "old",
          "CNI_PATH", "old");

  @Test
  void inheritedCniVariablesAreOverriddenAndTheRestIsKept() {
    CniArgs args = new CniArgs(List.of(new Arg("KEY1", "VALUE1"), new Arg("KEY2", "VALUE2")));
    PluginPath path = PluginPath.of(Path.of("/opt/cni/bin"), Path.of("/usr/lib/cni"));
    assertThat(
            new CniEnvironment(
                    Verb.ADD, "c42", "/run/netns/blue", "eth0", args.toString(), path.toString())
                .over(INHERITED))
        .isEqualTo(
            Map.of(
                "HOME", "/root",
                "CNI_COMMAND", "ADD",
                "CNI_CONTAINERID", "c42",
                "CNI_NETNS", "/run/netns/blue",
                "CNI_IFNAME", "eth0",
                "CNI_ARGS", "KEY1=VALUE1;KEY2=VALUE2",
                "CNI_PATH", "/opt/cni/bin:/usr/lib/cni"));
  }

  @Test
  void variablesWithoutAValueAreSetToNothing() {
    assertThat(CniEnvironment.of(Verb.STATUS, "/bin").over(INHERITED))
        .containsEntry("CNI_CONTAINERID", "")
        .containsEntry("CNI_NETNS", "")
        .containsEntry("CNI_IFNAME", "")
        .containsEntry("CNI_ARGS", "")
        .hasSameSizeAs(INHERITED);
    assertThat(CniEnvironment.of(Verb.GC, "").over(Map.of())).hasSize(6);
  }

  @Test
  void delegationOverridesAnExistingCommandAndNothingElse() {
    assertThat(CniEnvironment.delegated(INHERITED, Verb.DEL))
        .containsEntry("CNI_COMMAND", "DEL")
        .containsEntry("CNI_CONTAINERID", "old")
        .containsEntry("HOME", "/root")
        .hasSameSizeAs(INHERITED);
    assertThat(INHERITED).containsEntry("CNI_COMMAND", "FOO");
  }

  @Test
  void delegationAppendsTheCommandWhenItIsAbsent() {
    assertThat(CniEnvironment.delegated(Map.of("X", "y"), Verb.ADD))
        .isEqualTo(Map.of("X", "y", "CNI_COMMAND", "ADD"));
  }
}
