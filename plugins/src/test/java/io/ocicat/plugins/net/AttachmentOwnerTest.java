package io.ocicat.plugins.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.ContainerId;
import io.ocicat.cni.InterfaceName;
import io.ocicat.cni.NetworkName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AttachmentOwnerTest {
  @Test
  void theLabelNamesAll() {
    assertThat(owner("mynet", "ctr1", "eth0").label()).isEqualTo("mynet/ctr1/eth0");
    String id = "0123456789abcdef".repeat(4);
    assertThat(owner("podman", id, "eth0").label()).isEqualTo("podman/" + id + "/eth0");
  }

  @Test
  void namesOfAnyLengthFitAComment() {
    for (int length : List.of(1, 46, 47, 48, 63, 64, 65, 200, 4000)) {
      AttachmentOwner owner = owner("n".repeat(length), "c".repeat(length), "abcdefghijklmno");
      assertThat(owner.label()).hasSizeLessThanOrEqualTo(128);
      assertThat(owner.label()).startsWith(AttachmentOwner.labelPrefix(owner.network()));
    }
  }

  @Test
  void differentOwnersHaveDifferentLabels() {
    Set<String> labels = new HashSet<>();
    List<String> names = List.of("a", "b", "x".repeat(47), "x".repeat(300), "x".repeat(299) + "y");
    List<String> interfaces = List.of("eth0", "\"eth0\"", "~eth0", "ü", "a\\b");
    for (String network : names) {
      for (String id : names) {
        for (String ifName : interfaces) {
          String label = owner(network, id, ifName).label();
          labels.add(label);
          assertThat(label).matches("[!#-~]+");
        }
      }
    }
    assertThat(labels).hasSize(names.size() * names.size() * interfaces.size());
  }

  @Test
  void noNetworksLabelsStartLikeAnothers() {
    String longName = "x".repeat(60);
    assertThat(owner("ab", "c", "eth0").label()).doesNotStartWith(prefix("a"));
    assertThat(owner(longName + "1", "c", "eth0").label()).doesNotStartWith(prefix(longName));
  }

  @Test
  void labelsTellWhetherTheyAreOfOneContainer() {
    String longName = "x".repeat(80);
    for (String id : List.of("c", longName)) {
      assertThat(AttachmentOwner.isOneContainer(label("a", id, "eth0"), label("b", id, "eth1")))
          .isTrue();
      assertThat(AttachmentOwner.isOneContainer(label(longName, id, "eth0"), label("b", id, "ü")))
          .isTrue();
      assertThat(
              AttachmentOwner.isOneContainer(label("a", id, "eth0"), label("a", id + "d", "eth0")))
          .isFalse();
    }
    assertThat(AttachmentOwner.isOneContainer(label("a", "c", "eth0"), "a note of somebody else"))
        .isFalse();
  }

  private static String label(String network, String id, String ifName) {
    return owner(network, id, ifName).label();
  }

  @Test
  void whatNoPluginCanHaveBeenCalledWithIsNoOwner() {
    NetworkName network = new NetworkName("mynet");
    assertThat(AttachmentOwner.of(network, new Attachment("ctr1", "eth0")))
        .contains(owner("mynet", "ctr1", "eth0"));
    assertThat(AttachmentOwner.of(network, new Attachment("", "eth0"))).isEmpty();
    assertThat(AttachmentOwner.of(network, new Attachment("../x", "eth0"))).isEmpty();
    assertThat(AttachmentOwner.of(network, new Attachment("ctr1", "a/b"))).isEmpty();
  }

  private static String prefix(String network) {
    return AttachmentOwner.labelPrefix(new NetworkName(network));
  }

  private static AttachmentOwner owner(String network, String id, String ifName) {
    return new AttachmentOwner(
        new NetworkName(network), new ContainerId(id), new InterfaceName(ifName));
  }
}
